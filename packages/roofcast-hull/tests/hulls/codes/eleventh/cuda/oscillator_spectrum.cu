// Elastic response spectrum of an accelerogram: one thread steps one single degree of freedom oscillator.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define PERIODS 16384
#define SAMPLES 4096
#define CHUNK 256

constexpr float DT = 0.01f;
constexpr float HALF_DT = 0.005f;
constexpr float HALF_DT2 = 0.00005f;
constexpr float TWO_ZETA = 0.1f;
constexpr float TWO_PI = 6.28318530718f;

__global__ void pseudo_acceleration(const float *period, const float *ground, float *spectrum)
{
    __shared__ float ag[CHUNK];
    const int p = blockIdx.x * CHUNK + threadIdx.x;

    const float w = TWO_PI / period[p];
    const float c = TWO_ZETA * w;
    const float k = w * w;
    const float minv = -1.0f / (1.0f + HALF_DT * c);

    float u = 0.0f, v = 0.0f, a = 0.0f, peak = 0.0f;
    for (int base = 0; base < SAMPLES; base += CHUNK) {
        ag[threadIdx.x] = ground[base + threadIdx.x];
        __syncthreads();
        for (int s = 0; s < CHUNK; ++s) {
            u = u + DT * v + HALF_DT2 * a;
            float vp = v + HALF_DT * a;
            a = (ag[s] + c * vp + k * u) * minv;
            v = vp + HALF_DT * a;
            peak = fmaxf(peak, fabsf(u));
        }
        __syncthreads();
    }
    spectrum[p] = peak * k;
}

int main()
{
    float *hp = (float *)malloc(PERIODS * sizeof(float));
    float *hg = (float *)malloc(SAMPLES * sizeof(float));
    for (int i = 0; i < PERIODS; i++) hp[i] = 0.1f + 5.0f * i / PERIODS;
    for (int i = 0; i < SAMPLES; i++) hg[i] = 3.0f * sinf(0.07f * i) * expf(-0.001f * i);

    float *period, *ground, *spectrum;
    cudaMalloc(&period, PERIODS * sizeof(float));
    cudaMalloc(&ground, SAMPLES * sizeof(float));
    cudaMalloc(&spectrum, PERIODS * sizeof(float));
    cudaMemcpy(period, hp, PERIODS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ground, hg, SAMPLES * sizeof(float), cudaMemcpyHostToDevice);
    pseudo_acceleration<<<PERIODS / CHUNK, CHUNK>>>(period, ground, spectrum);
    cudaMemcpy(hp, spectrum, PERIODS * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", hp[0], hp[PERIODS - 1]);
    free(hp);
    free(hg);
    return cudaGetLastError() != cudaSuccess;
}
