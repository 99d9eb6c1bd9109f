#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__inline__ __device__ double warpReduceSum(double val) { for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xFFFFFFFF, val, offset); return val; }
__global__ void dot(const double *a, const double *b, double *r, size_t n) {
  double s = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) s += a[i] * b[i];
  s = warpReduceSum(s);
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(r, s);
}
int main() {
  size_t n = 1 << 24; double *a, *b, *r; cudaMalloc(&a, n * sizeof(double)); cudaMalloc(&b, n * sizeof(double)); cudaMalloc(&r, sizeof(double));
  cudaMemset(r, 0, sizeof(double));
  dot<<<1024, 256>>>(a, b, r, n);
}