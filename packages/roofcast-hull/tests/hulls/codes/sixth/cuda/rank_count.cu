// Enumeration sort of distinct keys: the rank of a key is the number of smaller keys,
// counted with tiles in shared memory; then every key goes to its place.
// Operations of the ranks: a comparison and an addition for each of 6000 x 6000 pairs.
#include <algorithm>
#include <cassert>
#include <cuda_runtime.h>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

constexpr unsigned TILE = 200;

__global__ void rank_keys(const unsigned *keys, unsigned *rank, unsigned n)
{
    __shared__ unsigned tile[TILE];
    const unsigned i = blockIdx.x * TILE + threadIdx.x;
    const unsigned mine = keys[i];
    unsigned smaller = 0;
    for (unsigned base = 0; base < n; base += TILE) {
        tile[threadIdx.x] = keys[base + threadIdx.x];
        __syncthreads();
        for (unsigned j = 0; j < TILE; ++j)
            smaller += tile[j] < mine ? 1u : 0u;
        __syncthreads();
    }
    rank[i] = smaller;
}

__global__ void place_keys(const unsigned *keys, const unsigned *rank, unsigned *sorted, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sorted[rank[i]] = keys[i];
}

int main()
{
    const unsigned n = 6000;
    static_assert(6000 % TILE == 0, "whole tiles only");
    std::vector<unsigned> h(n);
    std::iota(h.begin(), h.end(), 1u);
    for (auto &k : h) k *= 2654435761u;   // odd factor: keys stay distinct

    unsigned *keys, *rank, *sorted;
    cudaMalloc(&keys, n * sizeof(unsigned));
    cudaMalloc(&rank, n * sizeof(unsigned));
    cudaMalloc(&sorted, n * sizeof(unsigned));
    cudaMemcpy(keys, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);

    rank_keys<<<n / TILE, TILE>>>(keys, rank, n);
    place_keys<<<(n + 255) / 256, 256>>>(keys, rank, sorted, n);

    cudaMemcpy(h.data(), sorted, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    std::cout << (std::is_sorted(h.begin(), h.end()) ? "sorted" : "NOT sorted") << '\n';
    cudaFree(keys);
    cudaFree(rank);
    cudaFree(sorted);
    return 0;
}
