// Second-order (Heun) sampler of a diffusion model: the two halves of a step around the calls of the network.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <cstdio>
#include <cmath>
#include <vector>

#define CHECK(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { printf("%s\n", hipGetErrorString(e_)); return 1; } } while (0)

__global__ void heun_predict(const __half2* __restrict__ x, const __half2* __restrict__ den,
                             __half2* __restrict__ slope, __half2* __restrict__ xn,
                             float sigma, float dt, int n)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (i >= n) return;
    float2 a = __half22float2(x[i]);
    float2 b = __half22float2(den[i]);
    float2 d;
    d.x = (a.x - b.x) / sigma;
    d.y = (a.y - b.y) / sigma;
    slope[i] = __float22half2_rn(d);
    a.x += dt * d.x;
    a.y += dt * d.y;
    xn[i] = __float22half2_rn(a);
}

__global__ void heun_correct(__half2* __restrict__ x, const __half2* __restrict__ slope,
                             const __half2* __restrict__ xn, const __half2* __restrict__ den,
                             float sigma, float half_dt, int n)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (i >= n) return;
    float2 a = __half22float2(x[i]);
    float2 d = __half22float2(slope[i]);
    float2 p = __half22float2(xn[i]);
    float2 b = __half22float2(den[i]);
    a.x += half_dt * (d.x + (p.x - b.x) / sigma);
    a.y += half_dt * (d.y + (p.y - b.y) / sigma);
    x[i] = __float22half2_rn(a);
}

int main()
{
    const int batch = 64, channels = 4, side = 64;
    const int n = batch * channels * side * side / 2;
    const size_t bytes = n * sizeof(__half2);
    std::vector<__half2> h(n);
    for (int i = 0; i < n; ++i) h[i] = __floats2half2_rn(sinf(i * 0.01f), cosf(i * 0.02f));
    __half2 *x, *den, *slope, *xn, *den2;
    CHECK(hipMalloc(&x, bytes));
    CHECK(hipMalloc(&den, bytes));
    CHECK(hipMalloc(&den2, bytes));
    CHECK(hipMalloc(&slope, bytes));
    CHECK(hipMalloc(&xn, bytes));
    CHECK(hipMemcpy(x, h.data(), bytes, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(den, h.data(), bytes, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(den2, h.data(), bytes, hipMemcpyHostToDevice));
    float sigma = 14.6f;
    for (int step = 0; step < 18; ++step) {
        float next = sigma * 0.75f, dt = next - sigma;
        hipLaunchKernelGGL(heun_predict, dim3(n / 256), dim3(256), 0, 0, x, den, slope, xn, sigma, dt, n);
        hipLaunchKernelGGL(heun_correct, dim3(n / 256), dim3(256), 0, 0, x, slope, xn, den2, next, 0.5f * dt, n);
        sigma = next;
    }
    CHECK(hipDeviceSynchronize());
    return 0;
}
