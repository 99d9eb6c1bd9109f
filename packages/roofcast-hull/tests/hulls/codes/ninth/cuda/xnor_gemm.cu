// Binary-weight network layer: C = A B^T of +-1 matrices packed 32 to a word.
// C[i][j] = K - 2 * popcount(a_i ^ b_j). Shared tiles of 16x16 words.
// Operations by hand: xor, popc, + a word, then 2 an output.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TS 16

#define CK(x)                                                             \
  do {                                                                    \
    cudaError_t _e = (x);                                                 \
    if (_e != cudaSuccess) {                                              \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(_e)); \
      exit(-1);                                                           \
    }                                                                     \
  } while (0)

__global__ void xnor_gemm(const uint32_t *A, const uint32_t *B, int *C, int M, int N, int words) {
  __shared__ uint32_t As[TS][TS];
  __shared__ uint32_t Bs[TS][TS + 1];

  int ty = threadIdx.y, tx = threadIdx.x;
  int i = blockIdx.y * TS + ty;
  int j = blockIdx.x * TS + tx;
  int brow = blockIdx.x * TS + ty;

  int diff = 0;
  for (int t = 0; t < words; t += TS) {
    As[ty][tx] = A[i * words + t + tx];
    Bs[ty][tx] = B[brow * words + t + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TS; k++) diff += __popc(As[ty][k] ^ Bs[tx][k]);
    __syncthreads();
  }
  C[i * N + j] = 32 * words - 2 * diff;
}

int main(int argc, char *argv[]) {
  int M = 2048, N = 1024, K = 4096;
  if (argc == 4) {
    M = atoi(argv[1]);
    N = atoi(argv[2]);
    K = atoi(argv[3]);
  }
  if (M % TS || N % TS || K % (32 * TS)) {
    fprintf(stderr, "M, N must be multiples of %d and K of %d\n", TS, 32 * TS);
    return 1;
  }
  int words = K / 32;
  uint32_t *hA = (uint32_t *)malloc(sizeof(uint32_t) * M * words);
  uint32_t *hB = (uint32_t *)malloc(sizeof(uint32_t) * N * words);
  int *hC = (int *)malloc(sizeof(int) * M * N);
  uint32_t s = 2463534242u;
  for (int i = 0; i < M * words; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; hA[i] = s; }
  for (int i = 0; i < N * words; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; hB[i] = s; }

  uint32_t *dA, *dB;
  int *dC;
  CK(cudaMalloc(&dA, sizeof(uint32_t) * M * words));
  CK(cudaMalloc(&dB, sizeof(uint32_t) * N * words));
  CK(cudaMalloc(&dC, sizeof(int) * M * N));
  CK(cudaMemcpy(dA, hA, sizeof(uint32_t) * M * words, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(dB, hB, sizeof(uint32_t) * N * words, cudaMemcpyHostToDevice));

  dim3 threads(TS, TS);
  dim3 blocks(N / TS, M / TS);
  xnor_gemm<<<blocks, threads>>>(dA, dB, dC, M, N, words);
  CK(cudaGetLastError());
  CK(cudaMemcpy(hC, dC, sizeof(int) * M * N, cudaMemcpyDeviceToHost));

  int ref = 0;
  for (int k = 0; k < words; k++) ref += __builtin_popcount(hA[k] ^ hB[k]);
  printf("%s\n", hC[0] == K - 2 * ref ? "PASS" : "FAIL");
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  free(hA); free(hB); free(hC);
  return 0;
}
