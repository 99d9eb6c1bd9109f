#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void fw(int *d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n) { int t = d[i * n + k] + d[k * n + j]; if (t < d[i * n + j]) d[i * n + j] = t; }
}
int main() {
  int n = 2048; int *d; cudaMalloc(&d, sizeof(int) * n * n);
  for (int k = 0; k < n; k++) fw<<<dim3((n + 255) / 256, n), 256>>>(d, n, k);
}