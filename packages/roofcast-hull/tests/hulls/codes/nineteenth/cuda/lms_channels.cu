// Adaptive line enhancer: each channel has its own normalised LMS filter of 16 taps
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int CHANNELS = 4096, SAMPLES = 1024, TAPS = 16;

// samples of one instant lie side by side
__global__ void enhance(const float *x, float *error, float mu)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= CHANNELS) return;
    float w[TAPS], past[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) w[k] = past[k] = 0.f;
    for (int n = 0; n < SAMPLES; n++) {
        float now = x[n * CHANNELS + ch];
        float y = 0.f, power = 1e-3f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            y += w[k] * past[k];
            power += past[k] * past[k];
        }
        float e = now - y;
        float g = mu * e / power;
#pragma unroll
        for (int k = 0; k < TAPS; k++) w[k] += g * past[k];
#pragma unroll
        for (int k = TAPS - 1; k > 0; k--) past[k] = past[k - 1];
        past[0] = now;
        error[n * CHANNELS + ch] = e;
    }
}

int main()
{
    std::vector<float> h((size_t)CHANNELS * SAMPLES);
    for (size_t i = 0; i < h.size(); i++) h[i] = sinf(0.2f * (i / CHANNELS)) + 0.1f * sinf(i * 12.9898f);
    float *x, *e;
    cudaMalloc(&x, h.size() * sizeof(float));
    cudaMalloc(&e, h.size() * sizeof(float));
    cudaMemcpy(x, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    enhance<<<CHANNELS / 64, 64>>>(x, e, 0.1f);
    cudaMemcpy(h.data(), e, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f -> %f\n", h[10 * CHANNELS], h[1000 * CHANNELS]);
}
