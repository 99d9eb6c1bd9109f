#include <stdio.h>
#include <stdlib.h>
#include <cuda.h>
#define NX 256
#define NY 256
#define NZ 256
#define IDX(x, y, z) ((z) * NX * NY + (y) * NX + (x))
static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) { printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line); exit(EXIT_FAILURE); }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
__global__ void heat(const double *in, double *out, const double c0, const double c1) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  int j = blockDim.y * blockIdx.y + threadIdx.y;
  if (i < 1 || i >= NX - 1 || j < 1 || j >= NY - 1) return;
  double below = in[IDX(i, j, 0)], here = in[IDX(i, j, 1)], above;
  for (int k = 1; k < NZ - 1; ++k) {
    above = in[IDX(i, j, k + 1)];
    out[IDX(i, j, k)] = c0 * here + c1 * (in[IDX(i - 1, j, k)] + in[IDX(i + 1, j, k)] + in[IDX(i, j - 1, k)] + in[IDX(i, j + 1, k)] + below + above);
    below = here; here = above;
  }
}
int main(int argc, char *argv[]) {
  int iterations = 100;
  if (argc == 2) iterations = atoi(argv[1]);
  double *d_a, *d_b;
  size_t bytes = sizeof(double) * NX * NY * NZ;
  double *h = (double *)malloc(bytes);
  for (int i = 0; i < NX * NY * NZ; i++) h[i] = rand() / (double)RAND_MAX;
  HANDLE_ERROR(cudaMalloc((void **)&d_a, bytes));
  HANDLE_ERROR(cudaMalloc((void **)&d_b, bytes));
  HANDLE_ERROR(cudaMemcpy(d_a, h, bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 8, 1);
  dim3 grid((NX + block.x - 1) / block.x, (NY + block.y - 1) / block.y);
  cudaEvent_t start, stop; cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaEventRecord(start);
  for (int it = 0; it < iterations; it++) {
    heat<<<grid, block>>>(d_a, d_b, 0.4, 0.1);
    double *tmp = d_a; d_a = d_b; d_b = tmp;
  }
  cudaEventRecord(stop); cudaEventSynchronize(stop);
  float ms; cudaEventElapsedTime(&ms, start, stop);
  printf("%f ms\n", ms);
  free(h); cudaFree(d_a); cudaFree(d_b);
  return 0;
}
