#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void jacobi(float* a, float* b, int n, int iters) {
  auto grid = cg::this_grid();
  for (int it = 0; it < iters; ++it) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
    grid.sync();
    float* t = a; a = b; b = t;
  }
}
int main() {
  int n = 1 << 22, iters = 10; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  void* args[] = {&a, &b, &n, &iters};
  cudaLaunchCooperativeKernel((void*)jacobi, dim3(216), dim3(256), args);
  cudaDeviceSynchronize();
}
