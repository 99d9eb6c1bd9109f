// Iterative refinement (HIP): R = B - A X for a dense A and 16 right-hand sides, double precision.
// A thread computes one number of R; operations by hand: 2*N each.
// No hipcc at hand: checked by reading, and by nvcc with the names replaced.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4096
#define NRHS 16
#define ROWS_PER_BLOCK 16

#define CHECK(cmd)                                                                        \
  {                                                                                       \
    hipError_t error = cmd;                                                               \
    if (error != hipSuccess) {                                                            \
      fprintf(stderr, "error: '%s'(%d) at %s:%d\n", hipGetErrorString(error), error,      \
              __FILE__, __LINE__);                                                        \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  }

__global__ void residual(const double *A, const double *X, const double *B, double *R) {
  __shared__ double a_s[ROWS_PER_BLOCK][NRHS];
  __shared__ double x_s[NRHS][NRHS];
  int col = threadIdx.x;
  int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
  double acc = B[row * NRHS + col];
  for (int k0 = 0; k0 < N; k0 += NRHS) {
    a_s[threadIdx.y][col] = A[(size_t)row * N + k0 + col];
    x_s[threadIdx.y][col] = X[(k0 + threadIdx.y) * NRHS + col];
    __syncthreads();
    for (int k = 0; k < NRHS; k++) acc -= a_s[threadIdx.y][k] * x_s[k][col];
    __syncthreads();
  }
  R[row * NRHS + col] = acc;
}

int main() {
  size_t abytes = (size_t)N * N * sizeof(double), vbytes = (size_t)N * NRHS * sizeof(double);
  double *hA = (double *)malloc(abytes), *hX = (double *)malloc(vbytes), *hB = (double *)malloc(vbytes);
  for (size_t i = 0; i < (size_t)N * N; i++) hA[i] = (i / N == i % N) ? 4.0 : 1.0 / N;
  for (size_t i = 0; i < (size_t)N * NRHS; i++) {
    hX[i] = 1.0;
    hB[i] = 4.0 + (N - 1.0) / N;
  }
  double *A, *X, *B, *R;
  CHECK(hipMalloc((void **)&A, abytes));
  CHECK(hipMalloc((void **)&X, vbytes));
  CHECK(hipMalloc((void **)&B, vbytes));
  CHECK(hipMalloc((void **)&R, vbytes));
  CHECK(hipMemcpy(A, hA, abytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(X, hX, vbytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(B, hB, vbytes, hipMemcpyHostToDevice));

  residual<<<dim3(N / ROWS_PER_BLOCK), dim3(NRHS, ROWS_PER_BLOCK)>>>(A, X, B, R);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(hB, R, vbytes, hipMemcpyDeviceToHost));
  double worst = 0.0;
  for (size_t i = 0; i < (size_t)N * NRHS; i++) worst = worst > hB[i] ? worst : hB[i];
  printf("largest residual %g\n", worst);
  CHECK(hipFree(A));
  CHECK(hipFree(X));
  CHECK(hipFree(B));
  CHECK(hipFree(R));
  free(hA);
  free(hX);
  free(hB);
  return 0;
}
