// Distinct cell barcodes of a sequencing run: slots of an open-addressing table taken by compare-and-swap.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define CAPACITY (1u << 22)
#define EMPTY 0xffffffffu
#define READS 2000000

__global__ void claim(const unsigned *barcode, unsigned *slot_key, unsigned *slot_count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= READS) return;
    unsigned key = barcode[i];
    unsigned h = (key * 2654435769u) & (CAPACITY - 1);
    for (;;) {
        unsigned seen = atomicCAS(&slot_key[h], EMPTY, key);
        if (seen == EMPTY || seen == key) {
            atomicAdd(&slot_count[h], 1u);
            return;
        }
        h = (h + 1) & (CAPACITY - 1);
    }
}

__global__ void abundant(const unsigned *slot_count, unsigned cut, unsigned *found)
{
    unsigned n = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < CAPACITY; i += gridDim.x * blockDim.x)
        n += slot_count[i] >= cut ? 1u : 0u;
    for (int o = 16; o > 0; o /= 2) n += __shfl_xor_sync(0xffffffffu, n, o);
    if (threadIdx.x % 32 == 0) atomicAdd(found, n);
}

int main()
{
    std::vector<unsigned> h(READS);
    for (unsigned i = 0; i < READS; i++) h[i] = ((i * 1103515245u + 12345u) >> 9) % 300000u;
    unsigned *bc, *keys, *cnt, *found, n;
    cudaMalloc(&bc, READS * sizeof(unsigned));
    cudaMalloc(&keys, CAPACITY * sizeof(unsigned));
    cudaMalloc(&cnt, CAPACITY * sizeof(unsigned));
    cudaMalloc(&found, sizeof(unsigned));
    cudaMemcpy(bc, h.data(), READS * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemset(keys, 0xff, CAPACITY * sizeof(unsigned));
    cudaMemset(cnt, 0, CAPACITY * sizeof(unsigned));
    cudaMemset(found, 0, sizeof(unsigned));
    claim<<<(READS + 255) / 256, 256>>>(bc, keys, cnt);
    abundant<<<512, 256>>>(cnt, 5u, found);
    cudaMemcpy(&n, found, sizeof n, cudaMemcpyDeviceToHost);
    printf("%u barcodes\n", n);
}
