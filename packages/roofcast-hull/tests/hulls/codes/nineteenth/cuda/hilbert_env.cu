// Envelopes of ultrasound lines: Hilbert FIR (31 taps, every second one is zero), magnitude, peaks of 64 samples
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define LINES 64
#define LEN 16384
#define HALF 8
#define PAD 15
__constant__ float tap[HALF];

__global__ __launch_bounds__(256) void envelope(const float *rf, float *env)
{
    __shared__ float s[256 + 2 * PAD];
    const int line = blockIdx.y, x0 = blockIdx.x * 256;
    const float *src = rf + line * LEN;
    for (int k = threadIdx.x; k < 256 + 2 * PAD; k += 256) {
        int x = x0 + k - PAD;
        s[k] = (x >= 0 && x < LEN) ? src[x] : 0.f;
    }
    __syncthreads();
    const float *c = s + threadIdx.x + PAD;
    float q = 0.f;
#pragma unroll
    for (int k = 0; k < HALF; ++k)
        q += tap[k] * (c[2 * k + 1] - c[-2 * k - 1]);
    env[line * LEN + x0 + threadIdx.x] = sqrtf(c[0] * c[0] + q * q);
}

__global__ void gate_peaks(const float2 *env, float *peak)
{
    int gate = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    float2 v = env[gate * 32 + threadIdx.x % 32];
    float m = fmaxf(v.x, v.y);
    for (int o = 16; o > 0; o >>= 1)
        m = fmaxf(m, __shfl_down_sync(0xffffffff, m, o));
    if (threadIdx.x % 32 == 0) peak[gate] = m;
}

int main()
{
    float h[HALF];
    for (int k = 0; k < HALF; k++) h[k] = 2.f / (3.14159265f * (2 * k + 1)) * (0.54f + 0.46f * cosf(0.2f * (2 * k + 1)));
    cudaMemcpyToSymbol(tap, h, sizeof(h));
    std::vector<float> x(LINES * LEN);
    for (int i = 0; i < LINES * LEN; i++) x[i] = sinf(0.7f * i) * expf(-(i % 2000) * 0.002f);
    float *rf, *env, *peak;
    cudaMalloc((void **)&rf, x.size() * 4);
    cudaMalloc((void **)&env, x.size() * 4);
    cudaMalloc((void **)&peak, LINES * LEN / 64 * 4);
    cudaMemcpy(rf, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
    envelope<<<dim3(LEN / 256, LINES), 256>>>(rf, env);
    gate_peaks<<<LINES * LEN / 64 / 8, 256>>>((const float2 *)env, peak);
    float p[3];
    cudaMemcpy(p, peak, sizeof p, cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", p[0], p[1], p[2]);
}
