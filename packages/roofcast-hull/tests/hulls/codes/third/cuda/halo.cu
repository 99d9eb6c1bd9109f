// Packs two layers at either end of x into a buffer for the neighbours, and takes in what they sent.
#include <cuda_runtime.h>
#define NX 132
#define NY 128
#define NZ 128
#define LAYERS 2

__global__ void pack_x(const double *field, double *buffer)
{
    int y = threadIdx.x, z = blockIdx.x;
    for (int l = 0; l < LAYERS; l++) {
        buffer[(l * NZ + z) * NY + y] = field[(z * NY + y) * NX + LAYERS + l];
        buffer[((LAYERS + l) * NZ + z) * NY + y] = field[(z * NY + y) * NX + NX - 2 * LAYERS + l];
    }
}

__global__ void add_ghosts(double *field, const double *received, int layer)
{
    int y = threadIdx.x, z = blockIdx.x;
    field[(z * NY + y) * NX + layer] += received[z * NY + y];
}

int main()
{
    double *field, *buffer;
    cudaMalloc(&field, sizeof(double) * NX * NY * NZ);
    cudaMalloc(&buffer, sizeof(double) * 2 * LAYERS * NY * NZ);
    pack_x<<<NZ, NY>>>(field, buffer);
    add_ghosts<<<NZ, NY>>>(field, buffer, 2);
    cudaDeviceSynchronize();
    return 0;
}
