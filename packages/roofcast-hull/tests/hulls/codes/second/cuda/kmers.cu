// Words of six bases, and how many bases are G or C.
#include <cuda_runtime.h>
#include <cstdio>

#define K 6
#define WORDS (1 << (2 * K))

__global__ void kmer_histogram(const unsigned char *sequence, unsigned int *counts, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + K <= length) {
        unsigned int code = 0;
        for (int j = 0; j < K; j++) code = (code << 2) | ((sequence[i + j] >> 1) & 3);
        atomicAdd(&counts[code], 1u);
    }
}

__global__ void gc_content(const unsigned char *sequence, unsigned int *total, int length)
{
    unsigned int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
        unsigned char base = sequence[i];
        mine += (base == 'G' || base == 'C');
    }
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, mine);
}

int main()
{
    const int length = 1 << 22;
    unsigned char *sequence;
    unsigned int *counts, *total, host;
    cudaMalloc(&sequence, length);
    cudaMalloc(&counts, WORDS * sizeof(unsigned int));
    cudaMalloc(&total, sizeof(unsigned int));
    cudaMemset(counts, 0, WORDS * sizeof(unsigned int));
    cudaMemset(total, 0, sizeof(unsigned int));
    kmer_histogram<<<(length + 255) / 256, 256>>>(sequence, counts, length);
    gc_content<<<160, 256>>>(sequence, total, length);
    cudaMemcpy(&host, total, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%u\n", host);
    return 0;
}
