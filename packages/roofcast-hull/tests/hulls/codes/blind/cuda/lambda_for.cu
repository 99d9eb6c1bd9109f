// nvcc --extended-lambda
#include <cuda_runtime.h>

template <typename F> __global__ void for_each_index(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

template <typename F> void parallel_for(int n, F f)
{
    const int block = 256;
    for_each_index<<<(n + block - 1) / block, block>>>(n, f);
}

int main()
{
    const int n = 3 * 1000 * 1000;
    double *x, *y;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    const double a = 1.5;
    parallel_for(n, [=] __device__(int i) { y[i] += a * x[i] * x[i]; });
    cudaDeviceSynchronize();
}
