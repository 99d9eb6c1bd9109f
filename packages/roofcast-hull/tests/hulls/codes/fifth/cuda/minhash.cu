// Sketches of sequencing reads: for each of 32 hash functions the least hash of all words of K bases
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define K 12
#define READ_LEN 100
#define SKETCH 32

__host__ __device__ __forceinline__ uint32_t mix(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

__global__ void sketch_reads(const uint8_t* __restrict__ bases, const uint32_t* __restrict__ seeds,
                             uint32_t* __restrict__ sketches, int num_reads)
{
    int read = blockIdx.x * blockDim.y + threadIdx.y;
    if (read >= num_reads)
        return;
    int s = threadIdx.x;
    uint32_t seed = seeds[s];
    const uint32_t mask = (1u << (2 * K)) - 1;

    uint32_t word = 0;
    uint32_t least = 0xffffffffu;
    for (int i = 0; i < READ_LEN; i++) {
        word = ((word << 2) | bases[read * READ_LEN + i]) & mask;
        if (i >= K - 1)
            least = min(least, mix(word ^ seed));
    }
    sketches[read * SKETCH + s] = least;
}

int main(int argc, char** argv)
{
    int num_reads = argc > 1 ? atoi(argv[1]) : 20000;
    std::vector<uint8_t> bases((size_t)num_reads * READ_LEN);
    for (auto& b : bases) b = rand() & 3;
    std::vector<uint32_t> seeds(SKETCH);
    for (int s = 0; s < SKETCH; s++) seeds[s] = 0x9e3779b9u * (s + 1);

    uint8_t* d_bases;
    uint32_t *d_seeds, *d_sketches;
    cudaMalloc(&d_bases, bases.size());
    cudaMalloc(&d_seeds, SKETCH * sizeof(uint32_t));
    cudaMalloc(&d_sketches, (size_t)num_reads * SKETCH * sizeof(uint32_t));
    cudaMemcpy(d_bases, bases.data(), bases.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(d_seeds, seeds.data(), SKETCH * sizeof(uint32_t), cudaMemcpyHostToDevice);

    dim3 block(SKETCH, 8);
    dim3 grid((num_reads + block.y - 1) / block.y);
    sketch_reads<<<grid, block>>>(d_bases, d_seeds, d_sketches, num_reads);

    std::vector<uint32_t> out((size_t)num_reads * SKETCH);
    cudaMemcpy(out.data(), d_sketches, out.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }

    // the host's sketch of read 0
    int same = 0;
    for (int s = 0; s < SKETCH; s++) {
        uint32_t w = 0, least = ~0u;
        for (int i = 0; i < READ_LEN; i++) {
            w = ((w << 2) | bases[i]) & ((1u << (2 * K)) - 1);
            if (i >= K - 1) least = std::min(least, mix(w ^ seeds[s]));
        }
        same += least == out[s];
    }
    printf("%d of %d agree\n", same, SKETCH);
    cudaFree(d_bases);
    cudaFree(d_seeds);
    cudaFree(d_sketches);
    return same != SKETCH;
}
