// Column store: predicates of a query become a bitmap (one ballot a warp), and the bitmap selects what is summed.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static constexpr int kRows = 6000000; // a multiple of 32

__global__ void predicate(const int32_t *day, const float *discount, const uint8_t *quantity, uint32_t *bitmap)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int d = day[row];
    const float c = discount[row];
    const bool keep = (d >= 8766) & (d < 9131) & (c > 0.05f) & (quantity[row] < 24);
    const uint32_t word = __ballot_sync(0xffffffffu, keep);
    if ((threadIdx.x & 31) == 0)
        bitmap[row >> 5] = word;
}

__global__ void revenue(const float *price, const float *discount, const uint32_t *bitmap, double *total)
{
    __shared__ double acc[160];
    double mine = 0.0;
    for (int row = blockIdx.x * 160 + threadIdx.x; row < kRows; row += gridDim.x * 160)
        if ((bitmap[row >> 5] >> (row & 31)) & 1u)
            mine += price[row] * discount[row];
    acc[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0.0;
        for (int i = 0; i < 160; ++i)
            s += acc[i];
        atomicAdd(total, s);
    }
}

template <class T>
T *upload(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    std::vector<int32_t> day(kRows);
    std::vector<float> disc(kRows), price(kRows);
    std::vector<uint8_t> qty(kRows);
    for (int i = 0; i < kRows; ++i) {
        day[i] = 8000 + (i * 7) % 2500;
        disc[i] = 0.01f * (i % 11);
        price[i] = 900.0f + i % 1000;
        qty[i] = 1 + i % 50;
    }
    int32_t *d_day = upload(day);
    float *d_disc = upload(disc), *d_price = upload(price);
    uint8_t *d_qty = upload(qty);
    uint32_t *bits;
    double *total, answer;
    cudaMalloc(&bits, kRows / 32 * sizeof(uint32_t));
    cudaMalloc(&total, sizeof(double));
    cudaMemset(total, 0, sizeof(double));
    predicate<<<kRows / 160, 160>>>(d_day, d_disc, d_qty, bits);
    revenue<<<528, 160>>>(d_price, d_disc, bits, total);
    cudaMemcpy(&answer, total, sizeof(double), cudaMemcpyDeviceToHost);
    printf("revenue %.2f\n", answer);
}
