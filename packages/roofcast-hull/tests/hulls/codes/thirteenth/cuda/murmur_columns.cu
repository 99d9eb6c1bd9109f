// Two key columns to one hash, then how many rows each of 256 partitions gets.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

constexpr int ROWS = 1 << 23;
constexpr int PARTS = 256;

__device__ __forceinline__ uint32_t rotl(uint32_t x, int r) { return (x << r) | (x >> (32 - r)); }

__device__ __forceinline__ uint32_t mix(uint32_t h, uint32_t k)
{
    k *= 0xcc9e2d51u;
    k = rotl(k, 15);
    k *= 0x1b873593u;
    h ^= k;
    h = rotl(h, 13);
    return h * 5u + 0xe6546b64u;
}

__global__ void hash_pair(const uint32_t* a, const uint32_t* b, uint32_t* out, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        uint32_t h = mix(mix(42u, a[i]), b[i]);
        h ^= 8u;
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        out[i] = h;
    }
}

__global__ void partition_counts(const uint32_t* h, unsigned int* counts, int rows)
{
    __shared__ unsigned int local[PARTS];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x)
        atomicAdd(&local[h[i] >> 24], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    std::vector<uint32_t> ha(ROWS), hb(ROWS);
    for (int i = 0; i < ROWS; i++) { ha[i] = i * 7u; hb[i] = i ^ 0x5555u; }
    uint32_t *a, *b, *h;
    unsigned int *c;
    cudaMalloc(&a, ROWS * sizeof(uint32_t));
    cudaMalloc(&b, ROWS * sizeof(uint32_t));
    cudaMalloc(&h, ROWS * sizeof(uint32_t));
    cudaMalloc(&c, PARTS * sizeof(unsigned int));
    cudaMemcpy(a, ha.data(), ROWS * sizeof(uint32_t), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb.data(), ROWS * sizeof(uint32_t), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, PARTS * sizeof(unsigned int));
    hash_pair<<<ROWS / 256, 256>>>(a, b, h, ROWS);
    partition_counts<<<528, PARTS>>>(h, c, ROWS);
    unsigned int hc[PARTS];
    cudaMemcpy(hc, c, sizeof(hc), cudaMemcpyDeviceToHost);
    printf("%u %u\n", hc[0], hc[255]);
}
