// Floating-strike lookback put by Monte Carlo: own xorshift generators, Box-Muller, sums of payoff and its square.
// Blind set: class by hand; operations counted in Python for one step of a path.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define PATHS (1 << 20)
#define STEPS 252

static void check(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(code));
        exit(EXIT_FAILURE);
    }
}

__device__ inline uint32_t xorshift32(uint32_t &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__device__ inline float uniform01(uint32_t &s) { return ((float)xorshift32(s) + 0.5f) * 2.3283064e-10f; }

__global__ void lookback_put(double *sums, float s0, float drift, float vol, float discount, uint32_t seed)
{
    const uint32_t path = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t g1 = (path * 2654435761u ^ seed) | 1u;
    uint32_t g2 = (path * 2246822519u + seed) | 1u;

    float s = s0, top = s0;
    for (int t = 0; t < STEPS; ++t) {
        const float u1 = uniform01(g1);
        const float u2 = uniform01(g2);
        const float z = sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
        s *= expf(drift + vol * z);
        top = fmaxf(top, s);
    }
    double pay = discount * (top - s);
    double pay2 = pay * pay;

    for (int o = 16; o > 0; o >>= 1) {
        pay += __shfl_xor_sync(0xffffffffu, pay, o);
        pay2 += __shfl_xor_sync(0xffffffffu, pay2, o);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], pay);
        atomicAdd(&sums[1], pay2);
    }
}

int main()
{
    const float s0 = 100.0f, rate = 0.02f, sigma = 0.25f, years = 1.0f;
    const float dt = years / STEPS;
    double *sums, h[2];
    check(cudaMalloc((void **)&sums, 2 * sizeof(double)), "cudaMalloc");
    check(cudaMemset(sums, 0, 2 * sizeof(double)), "cudaMemset");
    lookback_put<<<PATHS / 256, 256>>>(sums, s0, (rate - 0.5f * sigma * sigma) * dt, sigma * sqrtf(dt),
                                       expf(-rate * years), 12345u);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(h, sums, sizeof(h), cudaMemcpyDeviceToHost), "cudaMemcpy");
    const double mean = h[0] / PATHS;
    const double err = sqrt((h[1] / PATHS - mean * mean) / PATHS);
    printf("price %.4f +- %.4f\n", mean, err);
    cudaFree(sums);
    return 0;
}
