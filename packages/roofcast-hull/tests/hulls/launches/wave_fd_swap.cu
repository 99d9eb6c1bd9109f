#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define BX 32
#define BY 8
__global__ void wave(float *next, const float *cur, const float *prev, int n, float c2) {
  __shared__ float s[BY + 2][BX + 2];
  int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  if (gx < n && gy < n) {
    s[ly][lx] = cur[gy * n + gx];
    if (threadIdx.x == 0 && gx > 0) s[ly][0] = cur[gy * n + gx - 1];
    if (threadIdx.x == BX - 1 && gx < n - 1) s[ly][BX + 1] = cur[gy * n + gx + 1];
    if (threadIdx.y == 0 && gy > 0) s[0][lx] = cur[(gy - 1) * n + gx];
    if (threadIdx.y == BY - 1 && gy < n - 1) s[BY + 1][lx] = cur[(gy + 1) * n + gx];
  }
  __syncthreads();
  if (gx > 0 && gy > 0 && gx < n - 1 && gy < n - 1)
    next[gy * n + gx] = 2 * s[ly][lx] - prev[gy * n + gx] + c2 * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1] - 4 * s[ly][lx]);
}
int main() {
  const int n = 4000; float *a, *b, *c; cudaMalloc(&a, sizeof(float) * n * n); cudaMalloc(&b, sizeof(float) * n * n); cudaMalloc(&c, sizeof(float) * n * n);
  dim3 block(BX, BY), grid((n + BX - 1) / BX, (n + BY - 1) / BY);
  for (int it = 0; it < 200; ++it) { wave<<<grid, block>>>(a, b, c, n, 0.1f); float *t = c; c = b; b = a; a = t; }
}