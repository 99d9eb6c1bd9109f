#include <cstdio>
#include <utility>
#define BX 32
#define BY 8
__global__ void jacobi_step(const float* __restrict__ a, float* __restrict__ b, int n) {
  __shared__ float t[BY + 2][BX + 2];
  const int w = n + 2;
  const int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BY + threadIdx.y + 1;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  t[ly][lx] = a[y * w + x];
  if (threadIdx.x == 0) t[ly][0] = a[y * w + x - 1];
  if (threadIdx.x == BX - 1) t[ly][BX + 1] = a[y * w + x + 1];
  if (threadIdx.y == 0) t[0][lx] = a[(y - 1) * w + x];
  if (threadIdx.y == BY - 1) t[BY + 1][lx] = a[(y + 1) * w + x];
  __syncthreads();
  b[y * w + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
int main(int argc, char** argv) {
  const int n = 1024;
  float *a, *b;
  size_t sz = (n + 2) * (n + 2) * sizeof(float);
  cudaMalloc(&a, sz); cudaMalloc(&b, sz);
  cudaMemset(a, 0, sz); cudaMemset(b, 0, sz);
  dim3 block(BX, BY), grid(n / BX, n / BY);
  for (int s = 0; s < 500; ++s) { jacobi_step<<<grid, block>>>(a, b, n); std::swap(a, b); }
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(b);
}
