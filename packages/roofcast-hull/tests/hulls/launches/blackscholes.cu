#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = 0.39894228f * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}
__global__ void BlackScholes(float2 *__restrict d_Call, float2 *__restrict d_Put, const float2 *__restrict d_S, const float2 *__restrict d_X, const float2 *__restrict d_T, float R, float V, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n / 2) {
    float2 c, p; 
    { float S = d_S[i].x, X = d_X[i].x, T = d_T[i].x; float sq = __fsqrt_rn(T); float d1 = (__logf(S / X) + (R + 0.5f * V * V) * T) / (V * sq); float d2 = d1 - V * sq; float e = __expf(-R * T); c.x = S * cndGPU(d1) - X * e * cndGPU(d2); p.x = X * e * (1.0f - cndGPU(d2)) - S * (1.0f - cndGPU(d1)); }
    { float S = d_S[i].y, X = d_X[i].y, T = d_T[i].y; float sq = __fsqrt_rn(T); float d1 = (__logf(S / X) + (R + 0.5f * V * V) * T) / (V * sq); float d2 = d1 - V * sq; float e = __expf(-R * T); c.y = S * cndGPU(d1) - X * e * cndGPU(d2); p.y = X * e * (1.0f - cndGPU(d2)) - S * (1.0f - cndGPU(d1)); }
    d_Call[i] = c; d_Put[i] = p;
  }
}
const int OPT_N = 4000000 + 194304;
int main() {
  float *call, *put, *s, *x, *t; const int SZ = OPT_N * sizeof(float);
  cudaMalloc((void **)&call, SZ); cudaMalloc((void **)&put, SZ); cudaMalloc((void **)&s, SZ); cudaMalloc((void **)&x, SZ); cudaMalloc((void **)&t, SZ);
  for (int i = 0; i < 512; i++) BlackScholes<<<(OPT_N / 2 + 127) / 128, 128>>>((float2 *)call, (float2 *)put, (float2 *)s, (float2 *)x, (float2 *)t, 0.02f, 0.3f, OPT_N);
}