// Half precision, bfloat16 (emulated below sm_80) and constants that become HFMA2 moves.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void half_math(__half2 *out, const __half2 *a, const __half2 *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hadd2(__hfma2(a[i], b[i], out[i]), __hmul2(a[i], a[i]));
}
extern "C" __global__ void half_scalar(__half *out, const __half *a, const __half *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hadd(__hfma(a[i], b[i], out[i]), __hmul(a[i], a[i]));
}
extern "C" __global__ void brain_math(__nv_bfloat162 *out, const __nv_bfloat162 *a, const __nv_bfloat162 *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if __CUDA_ARCH__ >= 800
  out[i] = __hadd2(__hfma2(a[i], b[i], out[i]), __hmul2(a[i], a[i]));
#else
  float2 x = __bfloat1622float2(a[i]), y = __bfloat1622float2(b[i]), z = __bfloat1622float2(out[i]);
  out[i] = __floats2bfloat162_rn(fmaf(x.x, y.x, z.x) + x.x * x.x, fmaf(x.y, y.y, z.y) + x.y * x.y);
#endif
}
extern "C" __global__ void constants(float *out, const float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int j = 0; j < n; ++j) {
    float y = (x > 1.0f) ? 0.25f : 3.0f;
    x = logf(x + y) * 1.0e-3f + y;
  }
  out[i] = x;
}
