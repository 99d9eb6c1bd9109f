// column store: decode a dictionary column, and a filtered sum over encoded columns
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

using code_t = uint16_t;
constexpr int ROWS = 30'000'000;
constexpr int ENTRIES = 40'000;

struct Range { int lo, hi; __device__ bool has(int v) const { return v >= lo && v < hi; } };

__global__ void decode_price(const code_t* code, const float* dict, float* price, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) price[i] = dict[code[i]];
}

__global__ void revenue(const float* price, const uint8_t* discount, const int* day, Range days,
                        double* total, int n)
{
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (days.has(day[i]))
            mine += price[i] * (100 - discount[i]);
    __shared__ double block_total;
    if (threadIdx.x == 0) block_total = 0;
    __syncthreads();
    atomicAdd(&block_total, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, block_total);
}

int main()
{
    code_t* code; float *dict, *price; uint8_t* disc; int* day; double* total;
    cudaMallocManaged(&code, ROWS * sizeof(code_t));
    cudaMallocManaged(&dict, ENTRIES * sizeof(float));
    cudaMallocManaged(&price, ROWS * sizeof(float));
    cudaMallocManaged(&disc, ROWS);
    cudaMallocManaged(&day, ROWS * sizeof(int));
    cudaMallocManaged(&total, sizeof(double));
    for (int e = 0; e < ENTRIES; ++e) dict[e] = 0.5f + e * 0.01f;
    for (int i = 0; i < ROWS; ++i) {
        code[i] = (i * 2654435761u >> 7) % ENTRIES;
        disc[i] = i % 11;
        day[i] = (i * 40503u >> 3) % 2500;
    }
    *total = 0;
    decode_price<<<(ROWS + 255) / 256, 256>>>(code, dict, price, ROWS);
    revenue<<<528, 256>>>(price, disc, day, Range{200, 2400}, total, ROWS);
    cudaDeviceSynchronize();
    printf("%.2f\n", *total / 100);
}
