#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

constexpr int CUSTOMERS = 2048;
constexpr int HOURS = 720;
__constant__ float rate[4];

// meter[c][h] in kWh, band[h] is the tariff period of the hour
__global__ void price_hours(const float *__restrict__ meter, const uint8_t *__restrict__ band,
                            float *__restrict__ cost, float cap, float surcharge)
{
    int h = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (h < HOURS) {
        float kwh = meter[c * HOURS + h];
        cost[c * HOURS + h] = kwh * rate[band[h]] + fmaxf(kwh - cap, 0.f) * surcharge;
    }
}

__device__ __forceinline__ float warp_total(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void monthly_bill(const float *cost, float *bill, float standing, float minimum)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= CUSTOMERS) return;
    const float *row = cost + (size_t)warp * HOURS;
    float sum = 0.f;
    for (int h = lane; h < HOURS; h += 32)
        sum += row[h];
    sum = warp_total(sum);
    if (lane == 0)
        bill[warp] = fmaxf(sum + standing, minimum);
}

int main()
{
    std::vector<float> m(CUSTOMERS * HOURS);
    std::vector<uint8_t> b(HOURS);
    for (size_t i = 0; i < m.size(); i++) m[i] = 0.1f + (i * 7919 % 1000) * 0.004f;
    for (int h = 0; h < HOURS; h++) b[h] = h % 24 < 6 ? 0 : h % 24 < 16 ? 1 : h % 24 < 20 ? 3 : 2;
    float r[4] = {0.09f, 0.17f, 0.21f, 0.34f};
    cudaMemcpyToSymbol(rate, r, sizeof r);
    float *meter, *cost, *bill;
    uint8_t *band;
    cudaMalloc(&meter, m.size() * sizeof(float));
    cudaMalloc(&cost, m.size() * sizeof(float));
    cudaMalloc(&bill, CUSTOMERS * sizeof(float));
    cudaMalloc(&band, HOURS);
    cudaMemcpy(meter, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(band, b.data(), HOURS, cudaMemcpyHostToDevice);
    price_hours<<<dim3((HOURS + 127) / 128, CUSTOMERS), 128>>>(meter, band, cost, 3.5f, 0.05f);
    monthly_bill<<<CUSTOMERS * 32 / 256, 256>>>(cost, bill, 12.f, 25.f);
    float first;
    cudaMemcpy(&first, bill, 4, cudaMemcpyDeviceToHost);
    printf("%.2f\n", first);
    return 0;
}
