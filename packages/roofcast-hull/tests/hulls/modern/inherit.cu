#include <cuda_runtime.h>
struct Base { float* out; int n; __device__ int index() const { return blockIdx.x * blockDim.x + threadIdx.x; } };
struct Fill : public Base { float value; __device__ void run() const { int i = index(); if (i < n) out[i] = value; } };
template <class Task> __global__ void run_task(Task t) { t.run(); }
int main() {
  Fill f; f.n = 1 << 22; f.value = 1.f; cudaMalloc(&f.out, f.n * sizeof(float));
  run_task<<<f.n / 256, 256>>>(f);
  cudaDeviceSynchronize();
}
