#include <cuda_runtime.h>
#define NX 256
#define NY 128
#define NZ 128

__constant__ float weight[3][3][3];

__global__ void smooth27(float out[NZ][NY][NX], const float in[NZ][NY][NX])
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z + 1;
    if (x > NX - 2 || y > NY - 2) return;
    float acc = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                acc += weight[dz + 1][dy + 1][dx + 1] * in[z + dz][y + dy][x + dx];
    out[z][y][x] = acc;
}

int main()
{
    typedef float volume[NZ][NY][NX];
    float *a, *b;
    cudaMalloc(&a, sizeof(volume));
    cudaMalloc(&b, sizeof(volume));
    smooth27<<<dim3(8, 32, NZ - 2), dim3(32, 4)>>>((float(*)[NY][NX])b, (float(*)[NY][NX])a);
    return cudaDeviceSynchronize();
}
