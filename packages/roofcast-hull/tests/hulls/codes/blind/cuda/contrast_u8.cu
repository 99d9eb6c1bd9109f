#include <cuda_runtime.h>
typedef unsigned char uchar;

__device__ uchar adjust(uchar v, float gain, float bias)
{
    float f = gain * (v - 128) + bias;
    return (uchar)fminf(fmaxf(f, 0.f), 255.f);
}

__global__ void contrast(const uchar4 *src, uchar4 *dst, int quads, float gain, float bias)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= quads) return;
    uchar4 p = src[q];
    p.x = adjust(p.x, gain, bias);
    p.y = adjust(p.y, gain, bias);
    p.z = adjust(p.z, gain, bias);
    p.w = adjust(p.w, gain, bias);
    dst[q] = p;
}

int main()
{
    const int width = 1920, height = 1080;
    uchar *src, *dst;
    cudaMalloc(&src, width * height);
    cudaMalloc(&dst, width * height);
    int quads = width * height / 4;
    contrast<<<(quads + 255) / 256, 256>>>((const uchar4 *)src, (uchar4 *)dst, quads, 1.4f, 120.0f);
    cudaDeviceSynchronize();
    cudaFree(src);
    cudaFree(dst);
}
