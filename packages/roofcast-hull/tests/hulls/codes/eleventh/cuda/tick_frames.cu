// Prices in ticks: frames of 128, differences in zigzag, and the bits that the widest of a frame needs.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define FRAME 128

__global__ void zigzag_frames(const int *price, unsigned *zz, unsigned char *width)
{
    __shared__ int s[FRAME];
    __shared__ unsigned any[FRAME];
    const int t = threadIdx.x;
    const int at = blockIdx.x * FRAME + t;
    s[t] = price[at];
    __syncthreads();

    int d = 0;
    if (t > 0) d = s[t] - s[t - 1];
    const unsigned z = (unsigned)(d << 1) ^ (unsigned)(d >> 31);
    zz[at] = z;
    any[t] = z;
    __syncthreads();
    for (int half = FRAME / 2; half > 0; half >>= 1) {
        if (t < half) any[t] |= any[t + half];
        __syncthreads();
    }
    if (t == 0) width[blockIdx.x] = 32 - __clz(any[0]);
}

int main()
{
    const int frames = 65536, n = frames * FRAME;
    int *h = (int *)malloc(n * sizeof(int));
    h[0] = 100000;
    for (int i = 1; i < n; i++) h[i] = h[i - 1] + (rand() % 21 - 10) * (i % 1000 ? 1 : 50);
    int *price;
    unsigned *zz;
    unsigned char *width, w[3];
    cudaMalloc(&price, n * sizeof(int));
    cudaMalloc(&zz, n * sizeof(unsigned));
    cudaMalloc(&width, frames);
    cudaMemcpy(price, h, n * sizeof(int), cudaMemcpyHostToDevice);
    zigzag_frames<<<frames, FRAME>>>(price, zz, width);
    cudaMemcpy(w, width, 3, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", w[0], w[1], w[2]);
    free(h);
    return cudaGetLastError() != cudaSuccess;
}
