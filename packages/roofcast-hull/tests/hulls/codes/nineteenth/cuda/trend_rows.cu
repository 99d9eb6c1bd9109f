// Linear trend of each pixel's time series and what is left of it
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

#define SERIES 4096
#define T 512
#define THREADS 128

__device__ float block_sum(float v, float *box)
{
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = v;
    __syncthreads();
    float total = box[0] + box[1] + box[2] + box[3];
    __syncthreads();
    return total;
}

__global__ void fit_trend(const float *y, const float *t, float2 *fit, float inv_n, float inv_stt)
{
    __shared__ float box[THREADS / 32];
    const float *row = y + blockIdx.x * T;
    float sy = 0.f, sty = 0.f;
    for (int k = threadIdx.x; k < T; k += THREADS) {
        float v = row[k];
        sy += v;
        sty += v * t[k];
    }
    sy = block_sum(sy, box);
    sty = block_sum(sty, box);
    if (threadIdx.x == 0) fit[blockIdx.x] = make_float2(sy * inv_n, sty * inv_stt);
}

__global__ void residual_rms(const float *y, const float *t, const float2 *fit, float *rms, float inv_n)
{
    __shared__ float box[THREADS / 32];
    float2 f = fit[blockIdx.x];
    float ss = 0.f;
    for (int k = threadIdx.x; k < T; k += THREADS) {
        float e = y[blockIdx.x * T + k] - f.x - f.y * t[k];
        ss += e * e;
    }
    ss = block_sum(ss, box);
    if (threadIdx.x == 0) rms[blockIdx.x] = sqrtf(ss * inv_n);
}

int main()
{
    std::vector<float> y(SERIES * T), t(T);
    float stt = 0;
    for (int k = 0; k < T; k++) { t[k] = k - 255.5f; stt += t[k] * t[k]; }
    for (int i = 0; i < SERIES * T; i++) y[i] = sinf(i * 0.3f) + (i % T) * 0.001f * (i / T % 5);
    float *dy, *dt, *rms;
    float2 *fit;
    cudaMalloc(&dy, SERIES * T * sizeof(float));
    cudaMalloc(&dt, T * sizeof(float));
    cudaMalloc(&rms, SERIES * sizeof(float));
    cudaMalloc(&fit, SERIES * sizeof(float2));
    cudaMemcpy(dy, y.data(), SERIES * T * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), T * sizeof(float), cudaMemcpyHostToDevice);
    fit_trend<<<SERIES, THREADS>>>(dy, dt, fit, 1.f / T, 1.f / stt);
    residual_rms<<<SERIES, THREADS>>>(dy, dt, fit, rms, 1.f / T);
    float2 f;
    cudaMemcpy(&f, fit + 3, sizeof f, cudaMemcpyDeviceToHost);
    printf("%g %g\n", f.x, f.y);
}
