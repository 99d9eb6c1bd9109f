#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Frames of a decoder (luma, then chroma at half the resolution) to packed RGB, BT.601 in fixed point.
// A thread has the four pixels that share one chroma sample.

#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

static __device__ __forceinline__ uint8_t clip8(int v)
{
    return (uint8_t)min(max(v, 0), 255);
}

__global__ void nv12_to_rgb(const uint8_t *luma, const uchar2 *chroma, uchar3 *rgb, int width, int height)
{
    int cx = blockIdx.x * blockDim.x + threadIdx.x;
    int cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (cx >= width / 2 || cy >= height / 2)
        return;

    uchar2 uv = chroma[cy * (width / 2) + cx];
    int d = uv.x - 128;
    int e = uv.y - 128;
    int add_r = 409 * e + 128;
    int add_g = 128 - 100 * d - 208 * e;
    int add_b = 516 * d + 128;

#pragma unroll
    for (int dy = 0; dy < 2; dy++) {
#pragma unroll
        for (int dx = 0; dx < 2; dx++) {
            int at = (2 * cy + dy) * width + 2 * cx + dx;
            int c = 298 * max(luma[at] - 16, 0);
            uchar3 out;
            out.x = clip8((c + add_r) >> 8);
            out.y = clip8((c + add_g) >> 8);
            out.z = clip8((c + add_b) >> 8);
            rgb[at] = out;
        }
    }
}

int main(void)
{
    const int width = 1920, height = 1080;
    uint8_t *h_luma = (uint8_t *)malloc(width * height);
    uchar2 *h_chroma = (uchar2 *)malloc(sizeof(uchar2) * (width / 2) * (height / 2));
    uchar3 *h_rgb = (uchar3 *)malloc(sizeof(uchar3) * width * height);
    for (int i = 0; i < width * height; i++) h_luma[i] = (i * 7) & 255;
    for (int i = 0; i < width * height / 4; i++) {
        h_chroma[i].x = 128;   // grey
        h_chroma[i].y = 128;
    }

    uint8_t *luma;
    uchar2 *chroma;
    uchar3 *rgb;
    cudaMalloc((void **)&luma, width * height);
    cudaMalloc((void **)&chroma, sizeof(uchar2) * (width / 2) * (height / 2));
    cudaMalloc((void **)&rgb, sizeof(uchar3) * width * height);

    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemcpyAsync(luma, h_luma, width * height, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(chroma, h_chroma, sizeof(uchar2) * (width / 2) * (height / 2), cudaMemcpyHostToDevice, s);
    dim3 threads(32, 8);
    dim3 blocks(DIV_UP(width / 2, threads.x), DIV_UP(height / 2, threads.y));
    nv12_to_rgb<<<blocks, threads, 0, s>>>(luma, chroma, rgb, width, height);
    cudaMemcpyAsync(h_rgb, rgb, sizeof(uchar3) * width * height, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);

    int bad = 0;
    for (int i = 0; i < width * height; i++)
        bad += h_rgb[i].x != h_rgb[i].y || h_rgb[i].y != h_rgb[i].z;
    printf("%d pixels of a grey frame are not grey\n", bad);
    cudaFree(luma);
    cudaFree(chroma);
    cudaFree(rgb);
    cudaStreamDestroy(s);
    free(h_luma);
    free(h_chroma);
    free(h_rgb);
    return bad != 0;
}
