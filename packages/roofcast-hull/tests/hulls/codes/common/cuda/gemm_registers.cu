#include <cstdio>
#include <cuda_runtime.h>
#define OFFSET(r, c, ld) ((r) * (ld) + (c))
#define FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])
__global__ void mySgemmV2(float* __restrict__ a, float* __restrict__ b, float* __restrict__ c, const int M, const int N, const int K) {
  const int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  __shared__ float s_a[BK][BM];
  __shared__ float s_b[BK][BN];
  float r_c[TM][TN] = {0.0};
  int am = tid >> 1, ak = (tid & 1) << 2;
  int bk = tid >> 4, bn = (tid & 15) << 2;
  for (int t = 0; t < K / BK; t++) {
    if (tid < 128) {
      float4 v = FLOAT4(a[OFFSET(by * BM + am, t * BK + ak, K)]);
      s_a[ak][am] = v.x; s_a[ak + 1][am] = v.y; s_a[ak + 2][am] = v.z; s_a[ak + 3][am] = v.w;
      FLOAT4(s_b[bk][bn]) = FLOAT4(b[OFFSET(t * BK + bk, bx * BN + bn, N)]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k++)
      for (int m = 0; m < TM; m++)
        for (int n = 0; n < TN; n++) r_c[m][n] += s_a[k][ty * TM + m] * s_b[k][tx * TN + n];
    __syncthreads();
  }
  for (int m = 0; m < TM; m++)
    FLOAT4(c[OFFSET(by * BM + ty * TM + m, bx * BN + tx * TN, N)]) = make_float4(r_c[m][0], r_c[m][1], r_c[m][2], r_c[m][3]);
}
int main() {
  const int M = 1024, N = 2048, K = 512;
  float *a, *b, *c;
  cudaMalloc(&a, M * K * sizeof(float)); cudaMalloc(&b, K * N * sizeof(float)); cudaMalloc(&c, M * N * sizeof(float));
  dim3 block(16, 16), grid(N / 64, M / 64);
  mySgemmV2<<<grid, block>>>(a, b, c, M, N, K);
  cudaDeviceSynchronize();
}
