// Text columns: how many code points a buffer of UTF-8 holds, and its ASCII letters in lower case, four bytes at a time.
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int VECTORS = 1 << 22;          // of 16 bytes
constexpr int THREADS = 256;

__device__ __forceinline__ int leads(unsigned w)
{
    // a byte continues a code point where its top bits are 10
    return __popc((~w >> 7 | w >> 6) & 0x01010101u);
}

__global__ void count_points(const uint4 *__restrict__ text, int n, unsigned long long *total)
{
    int c = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        const uint4 v = text[i];
        c += leads(v.x) + leads(v.y) + leads(v.z) + leads(v.w);
    }
    for (int d = 16; d > 0; d >>= 1) c += __shfl_down_sync(0xffffffffu, c, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, (unsigned long long)c);
}

__global__ void lower_ascii(uint32_t *__restrict__ words, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const uint32_t w = words[i];
    const uint32_t seven = w & 0x7f7f7f7fu;
    const uint32_t from_a = seven + 0x3f3f3f3fu;
    const uint32_t past_z = seven + 0x25252525u;
    const uint32_t upper = (from_a ^ past_z) & ~w & 0x80808080u;
    words[i] = w | (upper >> 2);
}

int main()
{
    std::vector<uint8_t> h((size_t)VECTORS * 16);
    for (size_t i = 0; i < h.size(); i++) h[i] = (i % 5 == 4) ? 0x80 | (i % 63) : 'A' + (i % 50);
    uint8_t *text; unsigned long long *total;
    cudaMalloc(&text, h.size());
    cudaMalloc(&total, sizeof *total);
    cudaMemcpy(text, h.data(), h.size(), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof *total);
    count_points<<<528, THREADS>>>((const uint4 *)text, VECTORS, total);
    lower_ascii<<<VECTORS * 4 / THREADS, THREADS>>>((uint32_t *)text, VECTORS * 4);
    unsigned long long points;
    cudaMemcpy(&points, total, sizeof points, cudaMemcpyDeviceToHost);
    printf("%llu\n", points);
}
