#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void gemv(const float *A, const float *x, float *y, int m, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= m) return;
  float s = 0.f; const float4 *a4 = (const float4 *)(A + (size_t)row * n); const float4 *x4 = (const float4 *)x;
  for (int i = threadIdx.x; i < n / 4; i += 32) { float4 a = a4[i], b = x4[i]; s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
  for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0) y[row] = s;
}
int main() {
  int m = 8192, n = 8192; float *A, *x, *y; cudaMalloc(&A, sizeof(float) * m * n); cudaMalloc(&x, sizeof(float) * n); cudaMalloc(&y, sizeof(float) * m);
  dim3 block(32, 8); gemv<<<m / 8, block>>>(A, x, y, m, n);
}