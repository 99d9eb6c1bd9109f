// Where to cut the 3' end of short reads: the largest suffix sum of (threshold - quality). Cycles are rows, reads are columns.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { READS = 1 << 18, CYCLES = 150 };

__global__ void trim_point(const unsigned char *qual, short *keep, int threshold)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *q = qual + (CYCLES - 1) * (size_t)READS + r;
    int sum = 0, best = 0;
    short cut = CYCLES;
    int c = CYCLES - 1;
    while (c >= 0) {
        sum += threshold - (*q - 33);
        if (sum > best) {
            best = sum;
            cut = (short)c;
        }
        q -= READS;
        c--;
    }
    keep[r] = cut;
}

int main()
{
    size_t n = (size_t)READS * CYCLES;
    unsigned char *h = (unsigned char *)malloc(n), *qual;
    short *keep, first[4];
    for (int c = 0; c < CYCLES; c++)
        for (int r = 0; r < READS; r++)
            h[(size_t)c * READS + r] = 33 + (c < 100 ? 38 : 38 - (c - 100) * (r % 5) / 6);
    cudaMalloc(&qual, n);
    cudaMalloc(&keep, READS * sizeof(short));
    cudaMemcpy(qual, h, n, cudaMemcpyHostToDevice);
    trim_point<<<READS / 256, 256>>>(qual, keep, 20);
    cudaMemcpy(first, keep, sizeof first, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", first[0], first[1], first[2], first[3]);
    free(h);
    return cudaGetLastError() != cudaSuccess;
}
