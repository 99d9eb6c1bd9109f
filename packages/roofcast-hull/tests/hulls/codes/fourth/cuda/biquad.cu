#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define CHANNELS 256
#define SAMPLES 4096

// One filter of second order a channel, samples of all channels interleaved; coefficients b0 b1 b2 a1 a2.
__global__ void biquad_bank(const float* in, float* out, const float* coef)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    const float b0 = coef[ch];
    const float b1 = coef[CHANNELS + ch];
    const float b2 = coef[2 * CHANNELS + ch];
    const float a1 = coef[3 * CHANNELS + ch];
    const float a2 = coef[4 * CHANNELS + ch];
    float s1 = 0.0f, s2 = 0.0f;
    for (int t = 0; t < SAMPLES; ++t) {
        float x = in[t * CHANNELS + ch];
        float y = b0 * x + s1;
        s1 = b1 * x - a1 * y + s2;
        s2 = b2 * x - a2 * y;
        out[t * CHANNELS + ch] = y;
    }
}

int main()
{
    std::vector<float> h(CHANNELS * SAMPLES, 0.0f), c(5 * CHANNELS, 0.1f);
    for (int i = 0; i < CHANNELS; ++i) h[i] = 1.0f;
    float *in, *out, *coef;
    cudaMalloc(&in, sizeof(float) * CHANNELS * SAMPLES);
    cudaMalloc(&out, sizeof(float) * CHANNELS * SAMPLES);
    cudaMalloc(&coef, sizeof(float) * 5 * CHANNELS);
    cudaMemcpy(in, h.data(), sizeof(float) * CHANNELS * SAMPLES, cudaMemcpyHostToDevice);
    cudaMemcpy(coef, c.data(), sizeof(float) * 5 * CHANNELS, cudaMemcpyHostToDevice);
    biquad_bank<<<CHANNELS / 64, 64>>>(in, out, coef);
    cudaMemcpy(h.data(), out, sizeof(float) * CHANNELS * SAMPLES, cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[0], h[CHANNELS]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(coef);
    return 0;
}
