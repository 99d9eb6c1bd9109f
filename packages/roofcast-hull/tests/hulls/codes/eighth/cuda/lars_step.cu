// LARS (layer-wise adaptive rate scaling) for one large layer: both squared norms, then the momentum update.
// Blind set: classes by hand; operations counted in Python for one parameter.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

constexpr long long kParams = 1LL << 25;
constexpr int kThreads = 256;
constexpr int kBlocks = 132 * 8;

#define CUDA_CHECK(expr)                                                               \
    do {                                                                               \
        cudaError_t st = (expr);                                                       \
        if (st != cudaSuccess) {                                                       \
            std::cerr << #expr << " failed: " << cudaGetErrorString(st) << std::endl;  \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

#define GRID_STRIDE_LOOP(i, n) \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += (long long)gridDim.x * blockDim.x)

__inline__ __device__ float warpSum(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void lars_norms(const float *w, const float *g, float *norms2, long long n)
{
    __shared__ float sw[kThreads / 32], sg[kThreads / 32];
    float ww = 0.f, gg = 0.f;
    GRID_STRIDE_LOOP(i, n) {
        ww += w[i] * w[i];
        gg += g[i] * g[i];
    }
    ww = warpSum(ww);
    gg = warpSum(gg);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) {
        sw[warp] = ww;
        sg[warp] = gg;
    }
    __syncthreads();
    if (warp == 0) {
        ww = lane < kThreads / 32 ? sw[lane] : 0.f;
        gg = lane < kThreads / 32 ? sg[lane] : 0.f;
        ww = warpSum(ww);
        gg = warpSum(gg);
        if (lane == 0) {
            atomicAdd(&norms2[0], ww);
            atomicAdd(&norms2[1], gg);
        }
    }
}

__global__ void lars_update(float *w, const float *g, float *m, const float *norms2, long long n,
                            float lr, float trust, float decay, float mu)
{
    const float wn = sqrtf(norms2[0]);
    const float gn = sqrtf(norms2[1]);
    const float rate = lr * trust * wn / (gn + decay * wn + 1e-9f);
    GRID_STRIDE_LOOP(i, n) {
        const float wi = w[i];
        const float mi = mu * m[i] + rate * (g[i] + decay * wi);
        m[i] = mi;
        w[i] = wi - mi;
    }
}

__global__ void init(float *w, float *g, float *m, long long n)
{
    GRID_STRIDE_LOOP(i, n) {
        w[i] = 0.02f * ((i * 7) % 13 - 6);
        g[i] = 0.001f * ((i * 5) % 17 - 8);
        m[i] = 0.f;
    }
}

int main()
{
    float *w, *g, *m, *norms2;
    CUDA_CHECK(cudaMalloc(&w, kParams * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&g, kParams * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&m, kParams * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&norms2, 2 * sizeof(float)));
    init<<<kBlocks, kThreads>>>(w, g, m, kParams);
    for (int step = 0; step < 5; ++step) {
        CUDA_CHECK(cudaMemsetAsync(norms2, 0, 2 * sizeof(float)));
        lars_norms<<<kBlocks, kThreads>>>(w, g, norms2, kParams);
        lars_update<<<kBlocks, kThreads>>>(w, g, m, norms2, kParams, 0.1f, 0.001f, 1e-4f, 0.9f);
        CUDA_CHECK(cudaGetLastError());
    }
    std::vector<float> h(2);
    CUDA_CHECK(cudaMemcpy(h.data(), norms2, 2 * sizeof(float), cudaMemcpyDeviceToHost));
    std::cout << "|w|^2 = " << h[0] << "  |g|^2 = " << h[1] << std::endl;
    cudaFree(w); cudaFree(g); cudaFree(m); cudaFree(norms2);
    return 0;
}
