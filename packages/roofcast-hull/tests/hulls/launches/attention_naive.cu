#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void attn(const float *Q, const float *K, const float *V, float *O, int L, int D, float scale) {
  extern __shared__ float sc[];
  int q = blockIdx.x, h = blockIdx.y, t = threadIdx.x;
  const float *qp = Q + (h * L + q) * D, *kp = K + h * L * D, *vp = V + h * L * D;
  for (int j = t; j < L; j += blockDim.x) { float s = 0; for (int d = 0; d < D; d++) s += qp[d] * kp[j * D + d]; sc[j] = s * scale; }
  __syncthreads();
  float m = -1e30f; for (int j = 0; j < L; j++) m = fmaxf(m, sc[j]);
  float z = 0; for (int j = 0; j < L; j++) z += expf(sc[j] - m);
  for (int d = t; d < D; d += blockDim.x) { float o = 0; for (int j = 0; j < L; j++) o += expf(sc[j] - m) / z * vp[j * D + d]; O[(h * L + q) * D + d] = o; }
}
int main() {
  int H = 32, L = 1024, D = 64; size_t b = sizeof(float) * H * L * D; float *q, *k, *v, *o;
  cudaMalloc(&q, b); cudaMalloc(&k, b); cudaMalloc(&v, b); cudaMalloc(&o, b);
  attn<<<dim3(L, H), 128, L * sizeof(float)>>>(q, k, v, o, L, D, 0.125f);
}