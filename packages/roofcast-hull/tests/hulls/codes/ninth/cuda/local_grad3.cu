// Spectral elements: derivatives along r, s, t of every node of every element, D is the (P x P) derivative matrix.
// One block an element. Operations by hand: 3*2*P a node.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define P 8
#define NODES (P * P * P)

#define cudaCheck(ans)                                                            \
  do {                                                                            \
    cudaError_t rc_ = (ans);                                                      \
    if (rc_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s %s %d\n", cudaGetErrorString(rc_), __FILE__, __LINE__); \
      abort();                                                                    \
    }                                                                             \
  } while (0)

__global__ __launch_bounds__(NODES) void local_grad3(const double* __restrict__ u,
                                                     const double* __restrict__ dmat,
                                                     double* __restrict__ ur,
                                                     double* __restrict__ us,
                                                     double* __restrict__ ut) {
  __shared__ double s_u[P][P][P];
  __shared__ double s_d[P][P];
  const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
  const int node = (k * P + j) * P + i;
  const size_t gid = size_t(blockIdx.x) * NODES + node;

  s_u[k][j][i] = u[gid];
  if (k == 0) s_d[j][i] = dmat[j * P + i];
  __syncthreads();

  double r = 0.0, s = 0.0, t = 0.0;
#pragma unroll
  for (int l = 0; l < P; ++l) {
    r += s_d[i][l] * s_u[k][j][l];
    s += s_d[j][l] * s_u[k][l][i];
    t += s_d[k][l] * s_u[l][j][i];
  }
  ur[gid] = r;
  us[gid] = s;
  ut[gid] = t;
}

int main() {
  const int nelem = 8192;
  const size_t n = size_t(nelem) * NODES;
  std::vector<double> hu(n), hd(P * P);
  for (size_t i = 0; i < n; ++i) hu[i] = double(i % P);
  // finite differences stand in for the GLL matrix: exact for linear functions
  for (int a = 0; a < P; ++a) {
    int lo = a > 0 ? a - 1 : a, hi = a < P - 1 ? a + 1 : a;
    hd[a * P + hi] += 1.0 / (hi - lo);
    hd[a * P + lo] -= 1.0 / (hi - lo);
  }

  double *u, *d, *ur, *us, *ut;
  cudaCheck(cudaMalloc(&u, n * sizeof(double)));
  cudaCheck(cudaMalloc(&ur, n * sizeof(double)));
  cudaCheck(cudaMalloc(&us, n * sizeof(double)));
  cudaCheck(cudaMalloc(&ut, n * sizeof(double)));
  cudaCheck(cudaMalloc(&d, P * P * sizeof(double)));
  cudaCheck(cudaMemcpy(u, hu.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  cudaCheck(cudaMemcpy(d, hd.data(), P * P * sizeof(double), cudaMemcpyHostToDevice));

  local_grad3<<<nelem, dim3(P, P, P)>>>(u, d, ur, us, ut);
  cudaCheck(cudaGetLastError());
  cudaCheck(cudaDeviceSynchronize());

  cudaCheck(cudaMemcpy(hu.data(), ur, n * sizeof(double), cudaMemcpyDeviceToHost));
  double err = 0.0;
  for (size_t i = 0; i < n; ++i) err = fmax(err, fabs(hu[i] - 1.0));
  printf("max error of du/dr: %g\n", err);
  cudaFree(u); cudaFree(d); cudaFree(ur); cudaFree(us); cudaFree(ut);
  return 0;
}
