#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void spmv_csr_vector(int rows, const int *ptr, const int *idx, const double *val, const double *x, double *y) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (warp < rows) {
    double sum = 0;
    for (int j = ptr[warp] + lane; j < ptr[warp + 1]; j += 32) sum += val[j] * x[idx[j]];
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (lane == 0) y[warp] = sum;
  }
}
int main() {
  int rows = 1 << 20, nnz = 16 * rows; int *p, *i; double *v, *x, *y;
  cudaMalloc(&p, (rows + 1) * sizeof(int)); cudaMalloc(&i, nnz * sizeof(int)); cudaMalloc(&v, nnz * sizeof(double)); cudaMalloc(&x, rows * sizeof(double)); cudaMalloc(&y, rows * sizeof(double));
  int threads = 256, blocks = (rows * 32 + threads - 1) / threads;
  spmv_csr_vector<<<blocks, threads>>>(rows, p, i, v, x, y);
}