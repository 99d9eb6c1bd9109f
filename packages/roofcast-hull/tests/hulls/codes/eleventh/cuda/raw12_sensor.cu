// 12-bit packed sensor rows to 16 bits less the black level, then gains of columns and rows.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 4000
#define HEIGHT 3000
#define BLACK 64

typedef uint8_t u8;
typedef uint16_t u16;

__global__ void unpack12(const u8 *packed, u16 *raw, int pairs)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= pairs)
        return;
    const u8 *p = packed + 3 * k;
    int b0 = p[0], b1 = p[1], b2 = p[2];
    int even = b0 | ((b1 & 15) << 8);
    int odd = (b1 >> 4) | (b2 << 4);
    raw[2 * k] = max(even - BLACK, 0);
    raw[2 * k + 1] = max(odd - BLACK, 0);
}

__global__ void destripe(const u16 *raw, const float *bias, const float *gain, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    float v = ((float)raw[y * WIDTH + x] - bias[x]) * gain[y];
    out[y * WIDTH + x] = fminf(fmaxf(v, 0.0f), 4095.0f);
}

int main(void)
{
    const int pixels = WIDTH * HEIGHT;
    u8 *h = (u8 *)malloc(pixels / 2 * 3);
    for (int i = 0; i < pixels / 2 * 3; i++)
        h[i] = (u8)(i * 2654435761u >> 11);
    float hb[WIDTH], hg[HEIGHT];
    for (int i = 0; i < WIDTH; i++) hb[i] = (i % 7) * 0.5f;
    for (int i = 0; i < HEIGHT; i++) hg[i] = 1.0f + 0.001f * (i % 5);

    u8 *packed;
    u16 *raw;
    float *bias, *gain, *out, first;
    cudaMalloc((void **)&packed, pixels / 2 * 3);
    cudaMalloc((void **)&raw, pixels * sizeof(u16));
    cudaMalloc((void **)&bias, WIDTH * sizeof(float));
    cudaMalloc((void **)&gain, HEIGHT * sizeof(float));
    cudaMalloc((void **)&out, pixels * sizeof(float));
    cudaMemcpy(packed, h, pixels / 2 * 3, cudaMemcpyHostToDevice);
    cudaMemcpy(bias, hb, sizeof hb, cudaMemcpyHostToDevice);
    cudaMemcpy(gain, hg, sizeof hg, cudaMemcpyHostToDevice);
    unpack12<<<(pixels / 2 + 255) / 256, 256>>>(packed, raw, pixels / 2);
    dim3 b(32, 8), g((WIDTH + b.x - 1) / b.x, (HEIGHT + b.y - 1) / b.y);
    destripe<<<g, b>>>(raw, bias, gain, out);
    cudaMemcpy(&first, out + 1234, sizeof first, cudaMemcpyDeviceToHost);
    printf("%f\n", first);
    free(h);
    return cudaGetLastError() != cudaSuccess;
}
