#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

struct AdamParams { float lr, beta1, beta2, eps; int t; };
__global__ void adam(float *p, const float *g, float *m, float *v, int n, AdamParams a) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float gi = g[i];
  float mi = m[i] = a.beta1 * m[i] + (1 - a.beta1) * gi;
  float vi = v[i] = a.beta2 * v[i] + (1 - a.beta2) * gi * gi;
  p[i] -= a.lr * (mi / (1 - powf(a.beta1, a.t))) / (sqrtf(vi / (1 - powf(a.beta2, a.t))) + a.eps);
}
int main() {
  const int n = 1 << 24; float *p, *g, *m, *v; 
  cudaMalloc(&p, n * sizeof *p); cudaMalloc(&g, n * sizeof *g); cudaMalloc(&m, n * sizeof *m); cudaMalloc(&v, n * sizeof *v);
  AdamParams a = {1e-3f, 0.9f, 0.999f, 1e-8f, 1};
  adam<<<(n + 1023) / 1024, 1024>>>(p, g, m, v, n, a);
}