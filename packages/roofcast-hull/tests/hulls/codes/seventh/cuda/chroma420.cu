// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// RGB24 -> planar YCbCr 4:2:0 (BT.601 studio range, integer coefficients), one thread per 2x2 block.
// By hand: luma 8 x 4, chroma sums 12, rounding 6, Cb and Cr 8 each = 66 a block (63 if sums start with the first pixel).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static const int WIDTH = 1920, HEIGHT = 1080;

__device__ __forceinline__ uint8_t luma(uchar3 p)
{
    return (uint8_t)(((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16);
}

__global__ void rgb24_to_i420(const uchar3 *src, uint8_t *Y, uint8_t *Cb, uint8_t *Cr, int width, int height)
{
    int bx = blockIdx.x * blockDim.x + threadIdx.x;
    int by = blockIdx.y * blockDim.y + threadIdx.y;
    int cw = width / 2, ch = height / 2;
    if (bx >= cw || by >= ch) return;

    int r = 0, g = 0, b = 0;
#pragma unroll
    for (int dy = 0; dy < 2; ++dy)
#pragma unroll
        for (int dx = 0; dx < 2; ++dx) {
            int at = (2 * by + dy) * width + 2 * bx + dx;
            uchar3 p = src[at];
            Y[at] = luma(p);
            r += p.x;
            g += p.y;
            b += p.z;
        }
    r = (r + 2) >> 2;
    g = (g + 2) >> 2;
    b = (b + 2) >> 2;
    Cb[by * cw + bx] = (uint8_t)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
    Cr[by * cw + bx] = (uint8_t)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
}

int main()
{
    const size_t pixels = (size_t)WIDTH * HEIGHT;
    uchar3 *h = (uchar3 *)malloc(pixels * sizeof(uchar3));
    for (size_t i = 0; i < pixels; ++i) h[i] = make_uchar3(i & 255, (i >> 3) & 255, (i >> 6) & 255);

    uchar3 *rgb;
    uint8_t *y, *cb, *cr;
    cudaMalloc(&rgb, pixels * sizeof(uchar3));
    cudaMalloc(&y, pixels);
    cudaMalloc(&cb, pixels / 4);
    cudaMalloc(&cr, pixels / 4);
    cudaMemcpy(rgb, h, pixels * sizeof(uchar3), cudaMemcpyHostToDevice);

    dim3 threads(16, 16);
    dim3 blocks((WIDTH / 2 + 15) / 16, (HEIGHT / 2 + 15) / 16);
    rgb24_to_i420<<<blocks, threads>>>(rgb, y, cb, cr, WIDTH, HEIGHT);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    uint8_t first[2];
    cudaMemcpy(first, y, 2, cudaMemcpyDeviceToHost);
    printf("Y: %d %d\n", first[0], first[1]);
    cudaFree(rgb); cudaFree(y); cudaFree(cb); cudaFree(cr);
    free(h);
    return 0;
}
