// Radar: three-pulse canceller against clutter, then the mean power of each range gate in decibels.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int PULSES = 130, GATES = 4096, LEFT = PULSES - 2;

__global__ void cancel(const float2* __restrict__ x, float* __restrict__ power)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    float2 a = x[p * GATES + g], b = x[(p + 1) * GATES + g], c = x[(p + 2) * GATES + g];
    float re = a.x - 2.0f * b.x + c.x;
    float im = a.y - 2.0f * b.y + c.y;
    power[p * GATES + g] = re * re + im * im;
}

__global__ void gate_level(const float* __restrict__ power, float* __restrict__ db)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
#pragma unroll 4
    for (int p = 0; p < LEFT; p++) s += power[p * GATES + g];
    db[g] = 10.0f * log10f(s * (1.0f / LEFT) + 1e-12f);
}

int main()
{
    std::vector<float2> h(PULSES * GATES);
    for (int i = 0; i < PULSES * GATES; i++) h[i] = make_float2(cosf(0.37f * i), sinf(0.11f * i));
    float2* x;
    float *pw, *db;
    cudaMalloc(&x, PULSES * GATES * sizeof(float2));
    cudaMalloc(&pw, LEFT * GATES * sizeof(float));
    cudaMalloc(&db, GATES * sizeof(float));
    cudaMemcpy(x, h.data(), PULSES * GATES * sizeof(float2), cudaMemcpyHostToDevice);
    cancel<<<dim3(GATES / 256, LEFT), 256>>>(x, pw);
    gate_level<<<GATES / 64, 64>>>(pw, db);
    float first;
    cudaMemcpy(&first, db, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f dB\n", first);
    return 0;
}
