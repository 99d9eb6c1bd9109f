#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define TS 32
__global__ void matMul(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TS][TS], Bs[TS][TS];
  int row = blockIdx.y * TS + threadIdx.y, col = blockIdx.x * TS + threadIdx.x;
  float acc = 0.0f;
  for (int t = 0; t < (K + TS - 1) / TS; t++) {
    As[threadIdx.y][threadIdx.x] = (row < M && t * TS + threadIdx.x < K) ? A[row * K + t * TS + threadIdx.x] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = (t * TS + threadIdx.y < K && col < N) ? B[(t * TS + threadIdx.y) * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TS; k++) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
int main() {
  int M = 2048, N = 2048, K = 2048; float *a, *b, *c;
  cudaMalloc(&a, M * K * 4); cudaMalloc(&b, K * N * 4); cudaMalloc(&c, M * N * 4);
  dim3 block(TS, TS); dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
  matMul<<<grid, block>>>(a, b, c, M, N, K);
}