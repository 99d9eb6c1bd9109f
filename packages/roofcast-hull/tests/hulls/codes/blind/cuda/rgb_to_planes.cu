#include <cstdio>
#include <cuda_runtime.h>

const int WIDTH = 1280;
const int HEIGHT = 720;

__global__ void rgb2yuv(const unsigned char *rgb, unsigned char *Y, unsigned char *U, unsigned char *V, int w, int h)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (col < w && row < h) {
        int p = row * w + col;
        int r = rgb[3 * p + 0];
        int g = rgb[3 * p + 1];
        int b = rgb[3 * p + 2];
        Y[p] = (77 * r + 150 * g + 29 * b) >> 8;
        U[p] = ((128 * b - 85 * g - 43 * r) >> 8) + 128;
        V[p] = ((128 * r - 107 * g - 21 * b) >> 8) + 128;
    }
}

int main()
{
    unsigned char *rgb, *planes;
    cudaMalloc(&rgb, WIDTH * HEIGHT * 3);
    cudaMalloc(&planes, WIDTH * HEIGHT * 3);
    dim3 threads(32, 8);
    dim3 blocks((WIDTH + threads.x - 1) / threads.x, (HEIGHT + threads.y - 1) / threads.y);
    rgb2yuv<<<blocks, threads>>>(rgb, planes, planes + WIDTH * HEIGHT, planes + 2 * WIDTH * HEIGHT, WIDTH, HEIGHT);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    return 0;
}
