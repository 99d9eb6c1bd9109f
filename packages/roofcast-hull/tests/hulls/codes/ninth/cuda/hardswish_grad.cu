// h-swish (MobileNetV3) forward with float4 loads, and its gradient with a grid-stride loop.
// Operations counted by hand: 5 a number in each direction (backward: two comparisons, x/3+1/2, times dy).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e));
    exit(1);
  }
}

__device__ __forceinline__ float hswish(float x) {
  return x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
}

__global__ void hardswish_forward(const float4 *x, float4 *y, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 a = x[i];
    a.x = hswish(a.x);
    a.y = hswish(a.y);
    a.z = hswish(a.z);
    a.w = hswish(a.w);
    y[i] = a;
  }
}

__global__ void hardswish_backward(const float *dy, const float *x, float *dx, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float v = x[i];
    float slope = v <= -3.0f ? 0.0f : (v >= 3.0f ? 1.0f : v * (1.0f / 3.0f) + 0.5f);
    dx[i] = dy[i] * slope;
  }
}

int main() {
  const int batch = 32, channels = 96, hw = 56 * 56;
  const int n = batch * channels * hw;
  float *h = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) h[i] = (float)(rand() % 1000) / 100.0f - 5.0f;

  float *x, *y, *dy, *dx;
  check(cudaMalloc((void **)&x, n * sizeof(float)), "malloc x");
  check(cudaMalloc((void **)&y, n * sizeof(float)), "malloc y");
  check(cudaMalloc((void **)&dy, n * sizeof(float)), "malloc dy");
  check(cudaMalloc((void **)&dx, n * sizeof(float)), "malloc dx");
  check(cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice), "copy x");
  check(cudaMemcpy(dy, h, n * sizeof(float), cudaMemcpyHostToDevice), "copy dy");

  const int n4 = n / 4;
  hardswish_forward<<<(n4 + 255) / 256, 256>>>((const float4 *)x, (float4 *)y, n4);
  check(cudaGetLastError(), "forward");
  hardswish_backward<<<1024, 256>>>(dy, x, dx, n);
  check(cudaGetLastError(), "backward");
  check(cudaDeviceSynchronize(), "sync");

  check(cudaMemcpy(h, dx, n * sizeof(float), cudaMemcpyDeviceToHost), "copy back");
  double s = 0;
  for (int i = 0; i < n; i++) s += h[i];
  printf("sum of dx: %.6e\n", s);
  free(h);
  cudaFree(x);
  cudaFree(y);
  cudaFree(dy);
  cudaFree(dx);
  return 0;
}
