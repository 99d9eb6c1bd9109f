// One step of an optimiser that goes by the sign of its momentum.
#include <cuda_runtime.h>
#include <cstdio>

struct LionConfig {
    float lr;
    float beta1;
    float beta2;
    float decay;
};

template <typename T>
__global__ void lion_step(T* __restrict__ param, T* __restrict__ momentum, const T* __restrict__ grad, LionConfig cfg, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const T g = grad[i];
        const T m = momentum[i];
        const T p = param[i];
        const T c = cfg.beta1 * m + (1.0f - cfg.beta1) * g;
        const T s = (T)((c > 0) - (c < 0));
        param[i] = p - cfg.lr * (s + cfg.decay * p);
        momentum[i] = cfg.beta2 * m + (1.0f - cfg.beta2) * g;
    }
}

int main()
{
    const size_t n = 2000000;
    float *p, *m, *g;
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&m, n * sizeof(float));
    cudaMalloc(&g, n * sizeof(float));
    cudaMemset(p, 0, n * sizeof(float));
    cudaMemset(m, 0, n * sizeof(float));
    cudaMemset(g, 0, n * sizeof(float));
    LionConfig cfg{1e-4f, 0.9f, 0.99f, 0.1f};
    lion_step<float><<<640, 256>>>(p, m, g, cfg, n);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(p);
    cudaFree(m);
    cudaFree(g);
    return e != cudaSuccess;
}
