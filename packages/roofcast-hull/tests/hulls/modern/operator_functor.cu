#include <cstdio>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; } } while (0)
struct Scale { float a; __host__ __device__ explicit Scale(float a_) : a(a_) {} __device__ float operator()(float x) const { return a * x; } };
struct Square { __device__ float operator()(float x) const { return x * x; } };
template <typename F>
__global__ void transform(const float* __restrict__ in, float* __restrict__ out, size_t n, F f) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) out[i] = f(in[i]);
}
int main() {
  const size_t n = 1 << 24;
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  transform<<<1024, 256>>>(in, out, n, Scale(2.0f));
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
