// Keys into an open table: try the next place until one is free.
#include <cuda_runtime.h>

#define EMPTY 0xffffffffu
#define CAPACITY (1u << 21)

__device__ unsigned int mix(unsigned int k)
{
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    return k ^ (k >> 16);
}

__global__ void insert_keys(const unsigned int *keys, unsigned int *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int key = keys[i];
    unsigned int slot = mix(key) & (CAPACITY - 1);
    while (true) {
        unsigned int before = atomicCAS(&table[slot], EMPTY, key);
        if (before == EMPTY || before == key) return;
        slot = (slot + 1) & (CAPACITY - 1);
    }
}

int main()
{
    const int n = 1 << 20;
    unsigned int *keys, *table;
    cudaMalloc(&keys, n * sizeof(unsigned int));
    cudaMalloc(&table, CAPACITY * sizeof(unsigned int));
    cudaMemset(table, 0xff, CAPACITY * sizeof(unsigned int));
    insert_keys<<<n / 256, 256>>>(keys, table, n);
    cudaDeviceSynchronize();
    return 0;
}
