/* hash of four key columns and the sizes of 64 partitions */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

#define ROWS (1 << 20)
#define PARTS 64
#define K1 0x87c37b91114253d5ULL
#define K2 0x52dce729ULL

__device__ static inline uint64_t rotl(uint64_t v, int r) { return (v << r) | (v >> (64 - r)); }
__device__ static inline uint64_t feed(uint64_t h, uint32_t word)
{
    h ^= word * K1;
    return rotl(h, 27) * 5 + K2;
}

__global__ void hash_rows(const uint32_t *c0, const uint32_t *c1, const uint32_t *c2, const uint32_t *c3, uint64_t *out, uint64_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ROWS) return;
    uint64_t h = seed;
    h = feed(h, c0[i]);
    h = feed(h, c1[i]);
    h = feed(h, c2[i]);
    h = feed(h, c3[i]);
    h ^= h >> 29;
    h *= K1;
    h ^= h >> 32;
    out[i] = h;
}

__global__ void partition_sizes(const uint64_t *hash, unsigned int *size)
{
    __shared__ unsigned int local[PARTS];
    if (threadIdx.x < PARTS) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS; i += gridDim.x * blockDim.x)
        atomicAdd(&local[hash[i] >> 58], 1u);
    __syncthreads();
    if (threadIdx.x < PARTS) atomicAdd(&size[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    std::vector<uint32_t> col(ROWS);
    uint32_t *c[4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < ROWS; i++) col[i] = (uint32_t)(i * (2654435761u + 2 * k)) >> (k * 3);
        hipMalloc(&c[k], ROWS * sizeof(uint32_t));
        hipMemcpy(c[k], col.data(), ROWS * sizeof(uint32_t), hipMemcpyHostToDevice);
    }
    uint64_t *h;
    unsigned int *size, s[PARTS];
    hipMalloc(&h, ROWS * sizeof(uint64_t));
    hipMalloc(&size, PARTS * sizeof(unsigned int));
    hipMemset(size, 0, PARTS * sizeof(unsigned int));
    hash_rows<<<ROWS / 256, 256>>>(c[0], c[1], c[2], c[3], h, 42);
    partition_sizes<<<120, 256>>>(h, size);
    hipMemcpy(s, size, sizeof s, hipMemcpyDeviceToHost);
    for (int p = 0; p < PARTS; p += 16) printf("%u\n", s[p]);
    return 0;
}
