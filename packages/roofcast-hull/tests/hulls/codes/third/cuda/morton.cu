// Codes of a space-filling curve for points of the unit cube.
#include <cuda_runtime.h>

__device__ unsigned int spread(unsigned int v)
{
    v = (v * 0x00010001u) & 0xFF0000FFu;
    v = (v * 0x00000101u) & 0x0F00F00Fu;
    v = (v * 0x00000011u) & 0xC30C30C3u;
    v = (v * 0x00000005u) & 0x49249249u;
    return v;
}

__global__ void morton_codes(const float4 *points, unsigned int *codes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = points[i];
    float x = fminf(fmaxf(p.x * 1024.0f, 0.0f), 1023.0f);
    float y = fminf(fmaxf(p.y * 1024.0f, 0.0f), 1023.0f);
    float z = fminf(fmaxf(p.z * 1024.0f, 0.0f), 1023.0f);
    codes[i] = spread((unsigned int)x) * 4 + spread((unsigned int)y) * 2 + spread((unsigned int)z);
}

int main()
{
    const int n = 2000000;
    float4 *points;
    unsigned int *codes;
    cudaMalloc(&points, n * sizeof(float4));
    cudaMalloc(&codes, n * sizeof(unsigned int));
    int threads = 512;
    morton_codes<<<(n + threads - 1) / threads, threads>>>(points, codes, n);
    cudaDeviceSynchronize();
    return 0;
}
