#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void bitonic(float *v, int j, int k) {
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
  if (ixj > i) {
    if ((i & k) == 0) { if (v[i] > v[ixj]) { float t = v[i]; v[i] = v[ixj]; v[ixj] = t; } }
    else { if (v[i] < v[ixj]) { float t = v[i]; v[i] = v[ixj]; v[ixj] = t; } }
  }
}
int main() {
  const int N = 1 << 24; float *d; cudaMalloc((void **)&d, N * sizeof(float));
  dim3 blocks(N / 512, 1), threads(512, 1);
  for (int k = 2; k <= N; k <<= 1) for (int j = k >> 1; j > 0; j = j >> 1) bitonic<<<blocks, threads>>>(d, j, k);
}