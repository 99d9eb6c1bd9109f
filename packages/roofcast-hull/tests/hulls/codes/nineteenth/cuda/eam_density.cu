// Embedded-atom metal: host density of each atom over a list of fixed length, then the embedding energy
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

enum { ATOMS = 65536, NEIGH = 32 };

struct Metal {
    float f0, beta, re, inv_rc2, a, b;
};
__constant__ Metal metal;

// list is stored neighbour by neighbour, so that lanes read side by side
__global__ void host_density(const float4 *__restrict__ pos, const int *__restrict__ list, float *__restrict__ rho)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ATOMS) return;
    float4 me = pos[i];
    float acc = 0.f;
    for (int n = 0; n < NEIGH; ++n) {
        float4 o = pos[list[n * ATOMS + i]];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        float w = fmaxf(1.f - r2 * metal.inv_rc2, 0.f);
        acc += expf(metal.beta * (metal.re - sqrtf(r2))) * w * w;
    }
    rho[i] = metal.f0 * acc;
}

__global__ void embed_energy(const float *rho, float *energy)
{
    float e = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ATOMS; i += blockDim.x * gridDim.x) {
        float r = rho[i];
        e += metal.b * r * r - metal.a * sqrtf(r);
    }
    for (int m = 16; m >= 1; m /= 2) e += __shfl_down_sync(0xffffffffu, e, m);
    if (threadIdx.x % warpSize == 0) atomicAdd(energy, e);
}

int main()
{
    Metal cu = {1.1f, 2.3f, 2.55f, 1.f / (5.f * 5.f), 1.3f, 0.07f};
    cudaMemcpyToSymbol(metal, &cu, sizeof(cu));
    float4 *pos;
    int *list;
    float *rho, *energy;
    cudaMallocManaged(&pos, ATOMS * sizeof(float4));
    cudaMallocManaged(&list, ATOMS * NEIGH * sizeof(int));
    cudaMallocManaged(&rho, ATOMS * sizeof(float));
    cudaMallocManaged(&energy, sizeof(float));
    for (int i = 0; i < ATOMS; i++) {
        pos[i] = make_float4((i & 63) * 2.5f, (i >> 6 & 31) * 2.5f, (i >> 11) * 2.5f, 0.f);
        for (int n = 0; n < NEIGH; n++) list[n * ATOMS + i] = (i + 1 + n * n * 3 + rand() % 3) % ATOMS;
    }
    *energy = 0;
    host_density<<<ATOMS / 128, 128>>>(pos, list, rho);
    embed_energy<<<32, 256>>>(rho, energy);
    cudaDeviceSynchronize();
    printf("E = %f\n", *energy);
}
