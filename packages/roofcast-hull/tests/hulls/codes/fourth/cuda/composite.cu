/* source over destination, 8 bits a channel */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__device__ unsigned char mix8(unsigned int s, unsigned int d, unsigned int a, unsigned int ia)
{
    return (unsigned char)((s * a + d * ia + 127u) / 255u);
}

__global__ void composite_over(const uchar4 *src, const uchar4 *dst, uchar4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        uchar4 s = src[i];
        uchar4 d = dst[i];
        unsigned int ia = 255u - s.w;
        uchar4 o;
        o.x = mix8(s.x, d.x, s.w, ia);
        o.y = mix8(s.y, d.y, s.w, ia);
        o.z = mix8(s.z, d.z, s.w, ia);
        o.w = (unsigned char)(s.w + d.w * ia / 255u);
        out[i] = o;
    }
}

int main()
{
    const int width = 1920, height = 1080;
    size_t bytes = (size_t)width * height * sizeof(uchar4);
    uchar4 *h = (uchar4 *)malloc(bytes);
    for (int i = 0; i < width * height; i++) h[i] = make_uchar4(i & 255, (i >> 8) & 255, 128, i % 256);
    uchar4 *src, *dst, *out;
    cudaMalloc(&src, bytes);
    cudaMalloc(&dst, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(src, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dst, h, bytes, cudaMemcpyHostToDevice);
    dim3 threads(32, 8);
    dim3 blocks(width / 32, height / 8);
    composite_over<<<blocks, threads>>>(src, dst, out, width, height);
    cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);
    printf("%d\n", h[99].x);
    cudaFree(src);
    cudaFree(dst);
    cudaFree(out);
    free(h);
    return 0;
}
