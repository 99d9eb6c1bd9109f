// Ordered dithering of a grey scan to LEVELS grey levels with an 8x8 Bayer matrix.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char u8;

__constant__ u8 bayer[64];

template <int LEVELS>
__global__ void ditherKernel(const u8 *in, u8 *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int v = in[y * w + x] * (LEVELS - 1);
        int q = v / 255;
        int rest = v - q * 255;
        if (rest > bayer[(y & 7) * 8 + (x & 7)])
            q = q + 1;
        out[y * w + x] = (u8)(q * (255 / (LEVELS - 1)));
    }
}

static void fillBayer(u8 *m)
{
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            int v = 0, a = x ^ y, b = y;
            for (int bit = 0; bit < 3; bit++) {
                v |= ((a >> bit) & 1) << (5 - 2 * bit);
                v |= ((b >> bit) & 1) << (4 - 2 * bit);
            }
            m[y * 8 + x] = (u8)(v * 255 / 64 + 1);
        }
}

int main()
{
    const int width = 1680, height = 1050;
    u8 matrix[64];
    fillBayer(matrix);
    cudaMemcpyToSymbol(bayer, matrix, sizeof(matrix));

    u8 *host = (u8 *)malloc(width * height);
    for (int i = 0; i < width * height; i++) host[i] = (u8)((i % width) * 255 / (width - 1));
    u8 *in, *out;
    cudaMalloc(&in, width * height);
    cudaMalloc(&out, width * height);
    cudaMemcpy(in, host, width * height, cudaMemcpyHostToDevice);

    dim3 threads(32, 4);
    dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    ditherKernel<4><<<blocks, threads>>>(in, out, width, height);

    cudaMemcpy(host, out, width * height, cudaMemcpyDeviceToHost);
    for (int x = 0; x < 16; x++) printf("%d ", host[x * 100]);
    printf("\n");
    cudaFree(in);
    cudaFree(out);
    free(host);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
