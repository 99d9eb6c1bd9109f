// Forecast revenue change: one pass over four columns of a line item table.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct LineItems {
    const int *ship_day;
    const float *discount;
    const float *quantity;
    const float *price;
};

__device__ __forceinline__ float warp_total(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void revenue_q6(LineItems t, int rows, int day_lo, int day_hi,
                           float d_lo, float d_hi, float max_qty, float *revenue)
{
    float acc = 0.0f;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
        int day = t.ship_day[r];
        if (day < day_lo) continue;
        if (day >= day_hi) continue;
        float d = t.discount[r];
        if (d < d_lo) continue;
        if (d > d_hi) continue;
        if (t.quantity[r] < max_qty)
            acc += t.price[r] * d;
    }
    acc = warp_total(acc);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(revenue, acc);
}

template <typename T>
static T *upload(const std::vector<T> &h)
{
    T *d;
    cudaMalloc(&d, h.size() * sizeof(T));
    cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

int main()
{
    const int rows = 6000000;
    std::vector<int> day(rows);
    std::vector<float> disc(rows), qty(rows), price(rows);
    srand(7);
    for (int i = 0; i < rows; i++) {
        day[i] = rand() % 2556;
        disc[i] = 0.01f * (rand() % 11);
        qty[i] = 1.0f + rand() % 50;
        price[i] = 900.0f + rand() % 104000;
    }
    LineItems t{upload(day), upload(disc), upload(qty), upload(price)};
    float *revenue, host = 0;
    cudaMalloc(&revenue, sizeof(float));
    cudaMemset(revenue, 0, sizeof(float));
    revenue_q6<<<1056, 256>>>(t, rows, 365, 2000, 0.02f, 0.09f, 40.0f, revenue);
    cudaMemcpy(&host, revenue, sizeof(float), cudaMemcpyDeviceToHost);
    printf("revenue %g\n", host);
    return cudaGetLastError() != cudaSuccess;
}
