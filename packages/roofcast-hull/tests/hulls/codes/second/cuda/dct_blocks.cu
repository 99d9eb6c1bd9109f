// Cosine transform of 8 x 8 blocks.
#include <cuda_runtime.h>
#include <cmath>

#define B 8
__constant__ float basis[B * B];

__global__ void dct8(const float *src, float *dst, int width)
{
    __shared__ float tile[B][B];
    __shared__ float half_way[B][B];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * B + tx;
    const int y = blockIdx.y * B + ty;
    tile[ty][tx] = src[y * width + x];
    __syncthreads();
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < B; k++) sum += basis[ty * B + k] * tile[k][tx];
    half_way[ty][tx] = sum;
    __syncthreads();
    sum = 0.f;
#pragma unroll
    for (int k = 0; k < B; k++) sum += half_way[ty][k] * basis[tx * B + k];
    dst[y * width + x] = sum;
}

int main()
{
    const int width = 1024, height = 1024;
    float host[B * B];
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) host[i * B + j] = (i ? 0.5f : 0.35355339f) * cosf((2 * j + 1) * i * 3.14159265f / 16);
    cudaMemcpyToSymbol(basis, host, sizeof(host));
    float *src, *dst;
    cudaMalloc(&src, width * height * sizeof(float));
    cudaMalloc(&dst, width * height * sizeof(float));
    dim3 threads(B, B), blocks(width / B, height / B);
    dct8<<<blocks, threads>>>(src, dst, width);
    cudaDeviceSynchronize();
    return 0;
}
