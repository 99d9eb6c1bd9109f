#include <cuda_runtime.h>
template <typename V, typename I> __global__ void spmv_ell(I rows, I width, const I* __restrict__ cols, const V* __restrict__ vals, const V* __restrict__ x, V* __restrict__ y) {
  I r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  V s = V(0);
  for (I k = 0; k < width; ++k) { I c = cols[k * rows + r]; if (c >= 0) s += vals[k * rows + r] * x[c]; }
  y[r] = s;
}
int main() {
  int rows = 1 << 20, width = 16; int* c; double *v, *x, *y;
  cudaMalloc(&c, sizeof(int) * rows * width); cudaMalloc(&v, sizeof(double) * rows * width); cudaMalloc(&x, sizeof(double) * rows); cudaMalloc(&y, sizeof(double) * rows);
  spmv_ell<double, int><<<(rows + 255) / 256, 256>>>(rows, width, c, v, x, y);
  cudaDeviceSynchronize();
}
