#include <cuda_runtime.h>
template <class F> __global__ void for_each_index(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }
template <class F> void parallel_for(int n, F f) { int t = 256; for_each_index<<<(n + t - 1) / t, t>>>(n, f); }
int main() {
  int n = 10'000'000; float a = 2.5f;
  float *x, *y; cudaMallocManaged(&x, n * sizeof(float)); cudaMallocManaged(&y, n * sizeof(float));
  parallel_for(n, [=] __device__ (int i) { y[i] = a * x[i] + y[i]; });
  cudaDeviceSynchronize();
}
