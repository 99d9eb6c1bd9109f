// Potential on one plane of a lattice from all atoms.
#include <cuda_runtime.h>
#include <cstring>

#define MAXATOMS 2000
#define SIDE 128

__constant__ float4 atoms[MAXATOMS];

__global__ void lattice_potential(int natoms, float spacing, float z, float *energy)
{
    unsigned int xindex = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int yindex = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int out = yindex * SIDE + xindex;
    float x = spacing * xindex;
    float y = spacing * yindex;
    float value = 0.0f;
    for (int a = 0; a < natoms; a++) {
        float dx = x - atoms[a].x;
        float dy = y - atoms[a].y;
        float dz = z - atoms[a].z;
        value += atoms[a].w * rsqrtf(dx * dx + dy * dy + dz * dz);
    }
    energy[out] += value;
}

int main()
{
    float4 *host = new float4[MAXATOMS];
    memset(host, 0, MAXATOMS * sizeof(float4));
    cudaMemcpyToSymbol(atoms, host, MAXATOMS * sizeof(float4));
    float *energy;
    cudaMalloc(&energy, SIDE * SIDE * sizeof(float));
    cudaMemset(energy, 0, SIDE * SIDE * sizeof(float));
    dim3 block(16, 8);
    dim3 grid(SIDE / block.x, SIDE / block.y);
    lattice_potential<<<grid, block>>>(MAXATOMS, 0.5f, 4.0f, energy);
    cudaDeviceSynchronize();
    delete[] host;
    return 0;
}
