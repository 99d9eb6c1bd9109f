// Hash join, first phase: mixed hash of 16-byte keys and how many fall in each of 256 partitions
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr uint32_t ROWS = 1u << 22;
constexpr int PARTS = 256;

__device__ __forceinline__ uint32_t rotl(uint32_t v, int r) { return (v << r) | (v >> (32 - r)); }

struct Mixer {
    uint32_t h;
    __device__ void absorb(uint32_t lane)
    {
        h += lane * 0xC2B2AE3Du;
        h = rotl(h, 17);
        h *= 0x27D4EB2Fu;
    }
    __device__ uint32_t finish()
    {
        h ^= h >> 15;
        h *= 0x85EBCA77u;
        h ^= h >> 13;
        return h;
    }
};

__global__ void hash_keys(const uint4 *__restrict__ keys, uint32_t *__restrict__ hashes)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 k = keys[i];
    Mixer m{0x165667B1u};
    m.absorb(k.x);
    m.absorb(k.y);
    m.absorb(k.z);
    m.absorb(k.w);
    hashes[i] = m.finish();
}

__global__ void partition_sizes(const uint32_t *__restrict__ hashes, unsigned *__restrict__ sizes)
{
    __shared__ unsigned local[PARTS];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x)
        atomicAdd(&local[hashes[i] >> 24], 1u);
    __syncthreads();
    atomicAdd(&sizes[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    std::vector<uint4> h(ROWS);
    for (uint32_t i = 0; i < ROWS; i++) h[i] = make_uint4(i, i * 3u, ~i, 12345u);
    uint4 *keys; uint32_t *hashes; unsigned *sizes;
    cudaMalloc(&keys, ROWS * sizeof(uint4));
    cudaMalloc(&hashes, ROWS * sizeof(uint32_t));
    cudaMalloc(&sizes, PARTS * sizeof(unsigned));
    cudaMemcpy(keys, h.data(), ROWS * sizeof(uint4), cudaMemcpyHostToDevice);
    cudaMemset(sizes, 0, PARTS * sizeof(unsigned));
    hash_keys<<<ROWS / 256, 256>>>(keys, hashes);
    partition_sizes<<<264, PARTS>>>(hashes, sizes);
    unsigned out[PARTS];
    cudaMemcpy(out, sizes, sizeof out, cudaMemcpyDeviceToHost);
    printf("%u\n", out[0]);
}
