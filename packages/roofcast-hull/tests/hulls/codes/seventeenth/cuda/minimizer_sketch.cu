// Minimizers of a genome: hashes of all 12-mers, then the least of every 8 of them.
#include <cstdint>
#include <cstdio>
#include <vector>

#define K 12
#define WIN 8
#define BASES (1 << 20)
#define KMERS (BASES - K + 1)
#define WINDOWS (KMERS - WIN + 1)
#define BLOCK 256

__host__ __device__ constexpr uint32_t mult() { return 0x9E3779B9u; }

__global__ void hash_kmers(const uint8_t *base, uint32_t *hash)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= KMERS) return;
    uint32_t h = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) h = h << 2 | base[i + k];
    h ^= h >> 7;
    h *= mult();
    h ^= h >> 11;
    hash[i] = h;
}

__global__ void least_of_window(const uint32_t *hash, uint32_t *least)
{
    __shared__ uint32_t tile[BLOCK + WIN - 1];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < KMERS) tile[threadIdx.x] = hash[i];
    if (threadIdx.x < WIN - 1 && i + BLOCK < KMERS) tile[threadIdx.x + BLOCK] = hash[i + BLOCK];
    __syncthreads();
    if (i >= WINDOWS) return;
    uint32_t m = tile[threadIdx.x];
    for (int k = 1; k < WIN; ++k) m = min(m, tile[threadIdx.x + k]);
    least[i] = m;
}

int main()
{
    std::vector<uint8_t> g(BASES);
    uint32_t r = 7;
    for (auto &b : g) { r = r * 1664525u + 1013904223u; b = r >> 30; }
    uint8_t *dg; uint32_t *h, *l;
    cudaMalloc(&dg, BASES);
    cudaMalloc(&h, KMERS * sizeof(uint32_t));
    cudaMalloc(&l, WINDOWS * sizeof(uint32_t));
    cudaMemcpy(dg, g.data(), BASES, cudaMemcpyHostToDevice);
    hash_kmers<<<(KMERS + BLOCK - 1) / BLOCK, BLOCK>>>(dg, h);
    least_of_window<<<(WINDOWS + BLOCK - 1) / BLOCK, BLOCK>>>(h, l);
    uint32_t v;
    cudaMemcpy(&v, l + 99, sizeof v, cudaMemcpyDeviceToHost);
    printf("%08x\n", v);
}
