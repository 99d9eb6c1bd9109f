#include <cuda_runtime.h>
#include <math.h>
__device__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__global__ void fft_pass(const float2* in, float2* out, int n, int p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = n / 2;
  int k = i & (p - 1);
  float2 u0 = in[i], u1 = in[i + t];
  float s, c; sincosf(-3.14159265f * k / p, &s, &c);
  u1 = cmul(u1, make_float2(c, s));
  int j = (i << 1) - k;
  out[j] = make_float2(u0.x + u1.x, u0.y + u1.y);
  out[j + p] = make_float2(u0.x - u1.x, u0.y - u1.y);
}
int main() {
  const int n = 1 << 22; float2 *a, *b;
  cudaMalloc(&a, n * sizeof(float2)); cudaMalloc(&b, n * sizeof(float2));
  for (int p = 1; p < n; p *= 2) { fft_pass<<<n / 2 / 256, 256>>>(a, b, n, p); float2* t = a; a = b; b = t; }
  cudaDeviceSynchronize();
}
