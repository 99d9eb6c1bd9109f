// Lecture 3: one thread per pixel. A ripple picture, 4 bytes a pixel (RGBA).
// About 13 operations a pixel (11 to 15: differences of indices, repeated d/10, ticks/7).
#include <stdio.h>
#include <stdlib.h>

#define DIM 600

__global__ void ripple(unsigned char *ptr, int ticks)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    int offset = x + y * blockDim.x * gridDim.x;

    float fx = x - DIM / 2;
    float fy = y - DIM / 2;
    float d = sqrtf(fx * fx + fy * fy);
    unsigned char grey = (unsigned char)(128.0f + 127.0f * cosf(d / 10.0f - ticks / 7.0f) / (d / 10.0f + 1.0f));
    ptr[offset * 4 + 0] = grey;
    ptr[offset * 4 + 1] = grey;
    ptr[offset * 4 + 2] = grey;
    ptr[offset * 4 + 3] = 255;
}

int main(void)
{
    unsigned char *dev, *host = (unsigned char *)malloc(DIM * DIM * 4);
    cudaMalloc((void **)&dev, DIM * DIM * 4);
    dim3 blocks(DIM / 20, DIM / 20);
    dim3 threads(20, 20);
    for (int t = 0; t < 10; t++)
        ripple<<<blocks, threads>>>(dev, t);
    cudaMemcpy(host, dev, DIM * DIM * 4, cudaMemcpyDeviceToHost);
    printf("centre pixel %d\n", host[(DIM / 2 * DIM + DIM / 2) * 4]);
    cudaFree(dev);
    free(host);
    return 0;
}
