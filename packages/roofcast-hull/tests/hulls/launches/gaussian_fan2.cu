#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void Fan2(float *m, float *a, float *b, int Size, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= Size - t) return;
  int xidx = blockIdx.x * blockDim.x + threadIdx.x, yidx = blockIdx.y * blockDim.y + threadIdx.y;
  a[Size * (xidx + 1 + t) + (yidx + t)] -= m[Size * (xidx + 1 + t) + t] * a[Size * t + (yidx + t)];
  if (yidx == 0) b[xidx + 1 + t] -= m[Size * (xidx + 1 + t) + (yidx + t)] * b[t];
}
int main() {
  int Size = 2048; float *m, *a, *b; cudaMalloc(&m, Size * Size * sizeof(float)); cudaMalloc(&a, Size * Size * sizeof(float)); cudaMalloc(&b, Size * sizeof(float));
  dim3 db(4, 4), dg((Size + 3) / 4, (Size + 3) / 4);
  for (int t = 0; t < Size - 1; t++) Fan2<<<dg, db>>>(m, a, b, Size, t);
}