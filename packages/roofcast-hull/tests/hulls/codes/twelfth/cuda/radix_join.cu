// Partitioned hash join: sizes of 256 partitions of the build side, then the probe of an open-addressing table.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const uint32_t EMPTY = 0xffffffffu;
const int BUILD = 1 << 21, PROBE = 1 << 22, SLOTS = 1 << 22;

__host__ __device__ inline uint32_t mix(uint32_t k) { return k * 2654435761u; }

__global__ void partition_sizes(const uint32_t *keys, unsigned int *sizes, int n) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[mix(keys[i]) >> 24], 1u);
    __syncthreads();
    atomicAdd(&sizes[threadIdx.x], local[threadIdx.x]);
}

__global__ void probe_open(const uint32_t *keys, const uint2 *table, uint32_t *payload, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t k = keys[i], found = EMPTY;
    uint32_t slot = mix(k) >> 10;
    while (true) {
        uint2 e = table[slot];
        if (e.x == k) { found = e.y; break; }
        if (e.x == EMPTY) break;
        slot = (slot + 1) & (SLOTS - 1);
    }
    payload[i] = found;
}

int main() {
    std::vector<uint32_t> build(BUILD), probe(PROBE);
    std::vector<uint2> table(SLOTS, make_uint2(EMPTY, 0));
    for (int i = 0; i < BUILD; ++i) {
        build[i] = 3u * i + 1;
        uint32_t s = mix(build[i]) >> 10;
        while (table[s].x != EMPTY) s = (s + 1) & (SLOTS - 1);
        table[s] = make_uint2(build[i], i);
    }
    for (int i = 0; i < PROBE; ++i) probe[i] = (uint32_t)(i * 7919ull % (3u * BUILD));
    uint32_t *b, *p, *out; uint2 *t; unsigned int *sizes, host[256];
    cudaMalloc(&b, BUILD * 4);
    cudaMalloc(&p, PROBE * 4);
    cudaMalloc(&out, PROBE * 4);
    cudaMalloc(&t, SLOTS * sizeof(uint2));
    cudaMalloc(&sizes, 256 * 4);
    cudaMemset(sizes, 0, 256 * 4);
    cudaMemcpy(b, build.data(), BUILD * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(p, probe.data(), PROBE * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(t, table.data(), SLOTS * sizeof(uint2), cudaMemcpyHostToDevice);
    partition_sizes<<<264, 256>>>(b, sizes, BUILD);
    probe_open<<<PROBE / 256, 256>>>(p, t, out, PROBE);
    cudaMemcpy(host, sizes, sizeof host, cudaMemcpyDeviceToHost);
    printf("%u\n", host[9]);
}
