#include <cuda_runtime.h>
#include <stdint.h>

__global__ void to_upper(char *text, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) {
        char c = text[i];
        text[i] = (c >= 'a' && c <= 'z') ? c - 32 : c;
    }
}

__device__ uint32_t fmix32(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    h ^= h >> 16;
    return h;
}

__global__ void hash_keys(const uint32_t *keys, uint32_t *hashes, int n, uint32_t seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        hashes[i] = fmix32(keys[i] ^ seed);
}

// FNV-1a of records of 64 bytes
__global__ void fnv_records(const uint8_t *records, uint64_t *digest, int count)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= count) return;
    uint64_t h = 14695981039346656037ull;
    for (int b = 0; b < 64; b++) {
        h ^= records[r * 64 + b];
        h *= 1099511628211ull;
    }
    digest[r] = h;
}

int main()
{
    long letters = 10000000;
    char *text;
    cudaMalloc(&text, letters);
    to_upper<<<(letters + 255) / 256, 256>>>(text, letters);

    int n = 1 << 22;
    uint32_t *keys, *hashes;
    cudaMalloc(&keys, n * sizeof(uint32_t));
    cudaMalloc(&hashes, n * sizeof(uint32_t));
    hash_keys<<<512, 256>>>(keys, hashes, n, 17u);

    int count = 100000;
    uint8_t *records;
    uint64_t *digest;
    cudaMalloc(&records, count * 64);
    cudaMalloc(&digest, count * sizeof(uint64_t));
    fnv_records<<<(count + 127) / 128, 128>>>(records, digest, count);
    cudaDeviceSynchronize();
    return 0;
}
