#include <cuda_runtime.h>

__device__ float block_sum(float v, float *smem)
{
    int t = threadIdx.x;
    smem[t] = v;
    __syncthreads();
    for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (t < s) smem[t] += smem[t + s];
        __syncthreads();
    }
    float total = smem[0];
    __syncthreads();
    return total;
}

__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int width, float eps)
{
    extern __shared__ float smem[];
    const float *row = x + blockIdx.x * width;
    float *out = y + blockIdx.x * width;
    float s = 0.f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) s += row[i];
    float mean = block_sum(s, smem) / width;
    float q = 0.f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float d = row[i] - mean;
        q += d * d;
    }
    float inv = rsqrtf(block_sum(q, smem) / width + eps);
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] = (row[i] - mean) * inv * gamma[i] + beta[i];
}

int main()
{
    int rows = 4096, width = 1024, threads = 128;
    float *x, *gamma, *beta, *y;
    cudaMalloc(&x, sizeof(float) * rows * width);
    cudaMalloc(&y, sizeof(float) * rows * width);
    cudaMalloc(&gamma, sizeof(float) * width);
    cudaMalloc(&beta, sizeof(float) * width);
    layernorm<<<rows, threads, threads * sizeof(float)>>>(x, gamma, beta, y, width, 1e-5f);
    cudaDeviceSynchronize();
    return 0;
}
