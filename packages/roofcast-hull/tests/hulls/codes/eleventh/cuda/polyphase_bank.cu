// Front end of a polyphase channeliser: each thread keeps the last TAPS samples of its branch in registers and walks SPAN frames.
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int CHANNELS = 1024, TAPS = 8, FRAMES = 4096, SPAN = 64;

__global__ void branch_filter(const float2 *__restrict__ x, const float *__restrict__ h, float2 *__restrict__ y)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * SPAN;

    float tap[TAPS];
    float2 past[TAPS];
#pragma unroll
    for (int p = 0; p < TAPS; ++p) tap[p] = h[p * CHANNELS + m];
#pragma unroll
    for (int p = 0; p < TAPS - 1; ++p) past[p + 1] = x[(first + p) * CHANNELS + m];

    for (int n = first; n < first + SPAN; ++n) {
#pragma unroll
        for (int p = 0; p < TAPS - 1; ++p) past[p] = past[p + 1];
        past[TAPS - 1] = x[(n + TAPS - 1) * CHANNELS + m];
        float2 acc = make_float2(0.f, 0.f);
#pragma unroll
        for (int p = 0; p < TAPS; ++p) {
            acc.x += tap[p] * past[p].x;
            acc.y += tap[p] * past[p].y;
        }
        y[n * CHANNELS + m] = acc;
    }
}

int main()
{
    const size_t in = (size_t)(FRAMES + TAPS - 1) * CHANNELS, out = (size_t)FRAMES * CHANNELS;
    std::vector<float2> hx(in);
    std::vector<float> hh(TAPS * CHANNELS);
    for (size_t i = 0; i < in; i++) hx[i] = make_float2(cosf(0.003f * (i % 65536)), sinf(0.003f * (i % 65536)));
    for (int i = 0; i < TAPS * CHANNELS; i++) hh[i] = 1.0f / TAPS * cosf(3.14159f * (i / (float)(TAPS * CHANNELS) - 0.5f));
    float2 *x, *y, r;
    float *h;
    cudaMalloc(&x, in * sizeof(float2));
    cudaMalloc(&y, out * sizeof(float2));
    cudaMalloc(&h, hh.size() * sizeof(float));
    cudaMemcpy(x, hx.data(), in * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(h, hh.data(), hh.size() * sizeof(float), cudaMemcpyHostToDevice);
    branch_filter<<<dim3(CHANNELS / 256, FRAMES / SPAN), 256>>>(x, h, y);
    cudaMemcpy(&r, y + out - 1, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g %g\n", r.x, r.y);
    return cudaGetLastError() != cudaSuccess;
}
