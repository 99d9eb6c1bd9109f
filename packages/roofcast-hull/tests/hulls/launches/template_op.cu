#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

struct AddOp { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename T, typename Op> __global__ void binary(const T *a, const T *b, T *c, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = op(a[i], b[i]);
}
int main() {
  constexpr int n = 1 << 24; float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&c, n * sizeof(float));
  binary<float, AddOp><<<(n + 255) / 256, 256>>>(a, b, c, n, AddOp());
}