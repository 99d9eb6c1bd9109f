// Spaced seeds 1101100110101 of a genome of 4 Mi bases: code of eight of thirteen bases at every position.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static const int GENOME = 1 << 22;
static const int SPAN = 13;

__device__ __forceinline__ uint32_t base2(char c) { return ((uint32_t)c >> 1) & 3u; }

__global__ void seed_codes(const char *__restrict__ text, uint32_t *__restrict__ code, int windows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= windows) return;
    const char *p = text + i;
    uint32_t k = base2(p[0]);
    k = k << 2 | base2(p[1]);
    k = k << 2 | base2(p[3]);
    k = k << 2 | base2(p[4]);
    k = k << 2 | base2(p[7]);
    k = k << 2 | base2(p[8]);
    k = k << 2 | base2(p[10]);
    k = k << 2 | base2(p[12]);
    code[i] = k;
}

int main() {
    std::vector<char> g(GENOME);
    uint64_t s = 88172645463325252ull;
    for (auto &c : g) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; c = "ACGT"[s & 3]; }
    char *d; uint32_t *k;
    const int windows = GENOME - SPAN + 1;
    cudaMalloc(&d, GENOME);
    cudaMalloc(&k, windows * sizeof(uint32_t));
    cudaMemcpy(d, g.data(), GENOME, cudaMemcpyHostToDevice);
    seed_codes<<<(windows + 255) / 256, 256>>>(d, k, windows);
    uint32_t first;
    cudaMemcpy(&first, k, 4, cudaMemcpyDeviceToHost);
    printf("%u\n", first);
}
