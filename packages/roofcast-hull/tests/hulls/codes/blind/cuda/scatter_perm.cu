#include <cuda_runtime.h>

__global__ void scatter(const float *values, const unsigned *where, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[where[i]] = values[i];
}

__global__ void scatterReversed(const float *values, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = values[i];
}

int main()
{
    const unsigned n = 3000000;
    float *values, *out;
    unsigned *where;
    cudaMalloc(&values, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&where, n * sizeof(unsigned));
    unsigned block = 192, grid = (n + block - 1) / block;
    scatter<<<grid, block>>>(values, where, out, n);
    scatterReversed<<<grid, block>>>(values, out, n);
    cudaDeviceSynchronize();
}
