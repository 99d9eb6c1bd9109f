#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// time series column: delta of delta, zigzag, width of each block of 128
static constexpr size_t ROWS = size_t(1) << 21;
static constexpr int BLOCK = 128;

__global__ void second_delta(const int64_t *ts, uint64_t *zz)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < 2 || i >= ROWS) return;
    int64_t d = ts[i] - 2 * ts[i - 1] + ts[i - 2];
    zz[i] = (uint64_t)((d << 1) ^ (d >> 63));
}

__global__ void block_width(const uint64_t *zz, uint8_t *width)
{
    __shared__ unsigned long long warp_or[BLOCK / 32];
    unsigned long long v = zz[(size_t)blockIdx.x * BLOCK + threadIdx.x];
    for (int m = 16; m; m >>= 1)
        v |= __shfl_xor_sync(0xffffffffu, v, m);
    if ((threadIdx.x & 31) == 0) warp_or[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long all = warp_or[0] | warp_or[1] | warp_or[2] | warp_or[3];
        width[blockIdx.x] = 64 - __clzll(all);
    }
}

int main()
{
    std::vector<int64_t> t(ROWS);
    int64_t now = 1700000000000LL;
    for (size_t i = 0; i < ROWS; i++) { now += 1000 + (i * 40503 >> 3) % 7; t[i] = now; }
    int64_t *ts;
    uint64_t *zz;
    uint8_t *w;
    cudaMalloc(&ts, ROWS * sizeof(int64_t));
    cudaMalloc(&zz, ROWS * sizeof(uint64_t));
    cudaMalloc(&w, ROWS / BLOCK);
    cudaMemcpy(ts, t.data(), ROWS * sizeof(int64_t), cudaMemcpyHostToDevice);
    cudaMemset(zz, 0, 2 * sizeof(uint64_t));
    second_delta<<<ROWS / 256, 256>>>(ts, zz);
    block_width<<<ROWS / BLOCK, BLOCK>>>(zz, w);
    std::vector<uint8_t> h(ROWS / BLOCK);
    cudaMemcpy(h.data(), w, h.size(), cudaMemcpyDeviceToHost);
    size_t bits = 0;
    for (auto b : h) bits += b * BLOCK;
    printf("%zu bytes from %zu\n", bits / 8, ROWS * 8);
}
