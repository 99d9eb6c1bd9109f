// Gradients clipped by their norm.
#include <cuda_runtime.h>

__global__ void squared_norm(float *norm, const float *g, size_t n)
{
    __shared__ float warps[8];
    float sum = 0.f;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) sum += g[i] * g[i];
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.f;
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
        if (threadIdx.x == 0) atomicAdd(norm, sum);
    }
}

__global__ void clip(float *g, const float *norm, float limit, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float factor = fminf(1.f, limit / (sqrtf(*norm) + 1e-6f));
        g[i] *= factor;
    }
}

int main()
{
    const size_t n = 1 << 22;
    float *g, *norm;
    cudaMalloc(&g, n * sizeof(float));
    cudaMalloc(&norm, sizeof(float));
    cudaMemset(norm, 0, sizeof(float));
    squared_norm<<<432, 256>>>(norm, g, n);
    clip<<<(unsigned)((n + 511) / 512), 512>>>(g, norm, 1.0f, n);
    cudaDeviceSynchronize();
    return 0;
}
