// Serving odds and ends: compaction of key/value pages, and where each request's tokens begin.
#include "hip/hip_runtime.h"
#include <cstdio>
#include <vector>
#include <numeric>

constexpr int PAGES = 512;
constexpr int CHUNKS = 1024;     // of 16 bytes in a page
constexpr int GROUPS = 256;      // micro-batches
constexpr int REQUESTS = 1024;   // of a micro-batch

__global__ void copy_pages(const uint4* pool, const int* from, uint4* packed)
{
    const int page = blockIdx.x;
    const uint4* src = pool + (long)from[page] * CHUNKS;
    uint4* dst = packed + (long)page * CHUNKS;
    for (int c = threadIdx.x; c < CHUNKS; c += blockDim.x)
        dst[c] = src[c];
}

__global__ void first_tokens(const int* lengths, int* starts)
{
    __shared__ int buf[2][REQUESTS];
    int t = threadIdx.x, cur = 0;
    size_t base = (size_t)blockIdx.x * REQUESTS;
    buf[0][t] = t > 0 ? lengths[base + t - 1] : 0;
    __syncthreads();
    for (int off = 1; off < REQUESTS; off <<= 1) {
        int v = buf[cur][t];
        if (t >= off) v += buf[cur][t - off];
        buf[cur ^ 1][t] = v;
        cur ^= 1;
        __syncthreads();
    }
    starts[base + t] = buf[cur][t];
}

int main()
{
    std::vector<int> from(PAGES), len(GROUPS * REQUESTS);
    for (int i = 0; i < PAGES; ++i) from[i] = (i * 37) % PAGES;
    for (size_t i = 0; i < len.size(); ++i) len[i] = 1 + (i * 7919) % 512;
    uint4 *pool, *packed;
    int *d_from, *d_len, *d_start;
    hipMalloc((void**)&pool, sizeof(uint4) * PAGES * CHUNKS);
    hipMalloc((void**)&packed, sizeof(uint4) * PAGES * CHUNKS);
    hipMalloc((void**)&d_from, sizeof(int) * PAGES);
    hipMalloc((void**)&d_len, sizeof(int) * GROUPS * REQUESTS);
    hipMalloc((void**)&d_start, sizeof(int) * GROUPS * REQUESTS);
    hipMemset(pool, 1, sizeof(uint4) * PAGES * CHUNKS);
    hipMemcpy(d_from, from.data(), sizeof(int) * PAGES, hipMemcpyHostToDevice);
    hipMemcpy(d_len, len.data(), sizeof(int) * GROUPS * REQUESTS, hipMemcpyHostToDevice);
    copy_pages<<<PAGES, 256>>>(pool, d_from, packed);
    first_tokens<<<GROUPS, REQUESTS>>>(d_len, d_start);
    int last = 0;
    hipMemcpy(&last, d_start + REQUESTS - 1, sizeof(int), hipMemcpyDeviceToHost);
    printf("%d\n", last);
    return 0;
}
