#include <cuda_runtime.h>
#include <cstdint>
enum class Op : int { Add, Mul, Max };
template <Op op, typename T> __device__ __forceinline__ T apply(T a, T b) {
  if constexpr (op == Op::Add) return a + b;
  else if constexpr (op == Op::Mul) return a * b;
  else return a > b ? a : b;
}
template <Op op, typename T, int N> __global__ void elementwise(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, int64_t n) {
  int64_t base = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * N;
  T va[N], vb[N];
#pragma unroll
  for (int k = 0; k < N; ++k) if (base + k < n) { va[k] = a[base + k]; vb[k] = b[base + k]; }
#pragma unroll
  for (int k = 0; k < N; ++k) if (base + k < n) c[base + k] = apply<op>(va[k], vb[k]);
}
template <Op op> void launch(float* c, const float* a, const float* b, int64_t n) {
  constexpr int vec = 4, threads = 128;
  const int64_t blocks = (n + threads * vec - 1) / (threads * vec);
  elementwise<op, float, vec><<<static_cast<unsigned>(blocks), threads>>>(c, a, b, n);
}
int main() {
  int64_t n = 1ll << 24; float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&c, n * sizeof(float));
  launch<Op::Mul>(c, a, b, n);
  cudaDeviceSynchronize();
}
