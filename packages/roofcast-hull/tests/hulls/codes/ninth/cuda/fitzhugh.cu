// FitzHugh-Nagumo excitable medium in two dimensions, periodic, explicit Euler.
// Spiral waves start from a cut front. Operations by hand: 15 for v and 6 for w a cell.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 2048
#define NY 2048
#define IDX(i, j) ((j) * NX + (i))

typedef float real;

__constant__ real c_dt = 0.02f, c_d = 0.25f, c_a = 0.7f, c_b = 0.8f, c_eps = 0.08f, c_cur = 0.1f;

#define cudaTry(x)                                                                \
  do {                                                                            \
    cudaError_t r = (x);                                                          \
    if (r != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(r));  \
      exit(2);                                                                    \
    }                                                                             \
  } while (0)

__global__ void fhn_step(const real *v, const real *w, real *v_new, real *w_new) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int j = threadIdx.y + blockIdx.y * blockDim.y;
  if (i >= NX || j >= NY) return;

  int il = (i == 0) ? NX - 1 : i - 1;
  int ir = (i == NX - 1) ? 0 : i + 1;
  int jd = (j == 0) ? NY - 1 : j - 1;
  int ju = (j == NY - 1) ? 0 : j + 1;

  real vc = v[IDX(i, j)];
  real wc = w[IDX(i, j)];
  real lap = v[IDX(il, j)] + v[IDX(ir, j)] + v[IDX(i, jd)] + v[IDX(i, ju)] - 4.0f * vc;

  real react = vc - vc * vc * vc * (1.0f / 3.0f) - wc + c_cur;
  v_new[IDX(i, j)] = vc + c_dt * (c_d * lap + react);
  w_new[IDX(i, j)] = wc + c_dt * (c_eps * (vc + c_a - c_b * wc));
}

int main(int argc, char **argv) {
  int steps = (argc > 1) ? atoi(argv[1]) : 200;
  size_t size = NX * NY * sizeof(real);
  real *hv = (real *)malloc(size), *hw = (real *)malloc(size);
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      hv[IDX(i, j)] = (i < NX / 2) ? 1.0f : -1.2f;
      hw[IDX(i, j)] = (j < NY / 2) ? 0.5f : -0.6f;
    }

  real *v0, *v1, *w0, *w1;
  cudaTry(cudaMalloc(&v0, size));
  cudaTry(cudaMalloc(&v1, size));
  cudaTry(cudaMalloc(&w0, size));
  cudaTry(cudaMalloc(&w1, size));
  cudaTry(cudaMemcpy(v0, hv, size, cudaMemcpyHostToDevice));
  cudaTry(cudaMemcpy(w0, hw, size, cudaMemcpyHostToDevice));

  dim3 block(32, 8), grid(NX / 32, NY / 8);
  for (int s = 0; s < steps; s++) {
    fhn_step<<<grid, block>>>(v0, w0, v1, w1);
    real *t = v0; v0 = v1; v1 = t;
    t = w0; w0 = w1; w1 = t;
  }
  cudaTry(cudaGetLastError());
  cudaTry(cudaMemcpy(hv, v0, size, cudaMemcpyDeviceToHost));
  printf("v at centre after %d steps: %g\n", steps, hv[IDX(NX / 2, NY / 2)]);
  cudaFree(v0); cudaFree(v1); cudaFree(w0); cudaFree(w1);
  free(hv); free(hw);
  return 0;
}
