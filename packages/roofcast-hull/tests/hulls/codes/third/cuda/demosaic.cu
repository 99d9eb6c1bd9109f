/* Colours from a sensor behind a RGGB mosaic, bilinear. The outermost pixels stay as they are. */
#include <cuda_runtime.h>
#include <stdint.h>

#define W 1920
#define H 1200

__global__ void demosaic(const uint16_t *__restrict__ raw, uint16_t *__restrict__ red, uint16_t *__restrict__ green,
                         uint16_t *__restrict__ blue)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x > W - 2 || y > H - 2)
        return;
    const uint16_t *p = raw + y * W + x;
    int r, g, b;
    if ((y & 1) == 0 && (x & 1) == 0) {
        r = p[0];
        g = (p[-1] + p[1] + p[-W] + p[W]) >> 2;
        b = (p[-W - 1] + p[-W + 1] + p[W - 1] + p[W + 1]) >> 2;
    } else if ((y & 1) == 1 && (x & 1) == 1) {
        b = p[0];
        g = (p[-1] + p[1] + p[-W] + p[W]) >> 2;
        r = (p[-W - 1] + p[-W + 1] + p[W - 1] + p[W + 1]) >> 2;
    } else if ((y & 1) == 0) {
        g = p[0];
        r = (p[-1] + p[1]) >> 1;
        b = (p[-W] + p[W]) >> 1;
    } else {
        g = p[0];
        b = (p[-1] + p[1]) >> 1;
        r = (p[-W] + p[W]) >> 1;
    }
    red[y * W + x] = r;
    green[y * W + x] = g;
    blue[y * W + x] = b;
}

int main()
{
    uint16_t *raw, *r, *g, *b;
    size_t size = W * H * sizeof(uint16_t);
    cudaMalloc(&raw, size);
    cudaMalloc(&r, size);
    cudaMalloc(&g, size);
    cudaMalloc(&b, size);
    demosaic<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(raw, r, g, b);
    cudaDeviceSynchronize();
    return 0;
}
