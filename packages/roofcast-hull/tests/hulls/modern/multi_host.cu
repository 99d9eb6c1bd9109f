#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define N 2048
#define BS 32
typedef double real;
static void check(cudaError_t e, const char* f, int l) { if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", f, l, cudaGetErrorString(e)); exit(1); } }
#define CU(x) check((x), __FILE__, __LINE__)
__global__ void init(real* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * n) a[i] = (real)(i % n) / n; }
__global__ void lu_row(real* a, int n, int k) { int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x; if (j < n) a[j * n + k] /= a[k * n + k]; }
__global__ void lu_update(real* a, int n, int k) {
  int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y, j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
int main() {
  real* a; CU(cudaMalloc(&a, sizeof(real) * N * N));
  init<<<(N * N + 255) / 256, 256>>>(a, N);
  for (int k = 0; k < N - 1; k++) {
    int m = N - k - 1;
    lu_row<<<(m + 255) / 256, 256>>>(a, N, k);
    dim3 g((m + BS - 1) / BS, (m + BS - 1) / BS), b(BS, BS);
    lu_update<<<g, b>>>(a, N, k);
  }
  CU(cudaDeviceSynchronize());
  printf("done\n");
  return 0;
}
