// Reinitialisation of a level set to a signed distance (Sussman), Godunov's Hamiltonian, first order.
// Operations counted with self-counting Python numbers: 29 a cell (either side of the interface).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

struct Grid {
  int nx, ny;
  float inv_dx, dx2, dt;
};

#define CUDA_CALL(x)                                                        \
  do {                                                                      \
    if ((x) != cudaSuccess) {                                               \
      printf("Error at %s:%d\n", __FILE__, __LINE__);                       \
      return EXIT_FAILURE;                                                  \
    }                                                                       \
  } while (0)

__device__ inline float sq(float a) { return a * a; }

__global__ void reinit_step(const float* __restrict__ phi, const float* __restrict__ phi0,
                            float* __restrict__ out, Grid g) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= g.nx || y >= g.ny) return;

  int xm = max(x - 1, 0), xp = min(x + 1, g.nx - 1);
  int ym = max(y - 1, 0), yp = min(y + 1, g.ny - 1);
  float c = phi[y * g.nx + x];
  float a = (c - phi[y * g.nx + xm]) * g.inv_dx;
  float b = (phi[y * g.nx + xp] - c) * g.inv_dx;
  float d = (c - phi[ym * g.nx + x]) * g.inv_dx;
  float e = (phi[yp * g.nx + x] - c) * g.inv_dx;

  float s0 = phi0[y * g.nx + x];
  float sgn = s0 / sqrtf(s0 * s0 + g.dx2);
  float grad;
  if (s0 > 0.0f) {
    grad = sqrtf(fmaxf(sq(fmaxf(a, 0.f)), sq(fminf(b, 0.f))) +
                 fmaxf(sq(fmaxf(d, 0.f)), sq(fminf(e, 0.f)))) - 1.0f;
  } else {
    grad = sqrtf(fmaxf(sq(fminf(a, 0.f)), sq(fmaxf(b, 0.f))) +
                 fmaxf(sq(fminf(d, 0.f)), sq(fmaxf(e, 0.f)))) - 1.0f;
  }
  out[y * g.nx + x] = c - g.dt * sgn * grad;
}

int main() {
  const int n = 1536;
  const float dx = 2.0f / n;
  Grid g{n, n, 1.0f / dx, dx * dx, 0.5f * dx};
  std::vector<float> h(size_t(n) * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      float px = -1.f + dx * x, py = -1.f + dx * y;
      h[size_t(y) * n + x] = px * px + py * py - 0.25f;  // no distance yet
    }
  const size_t bytes = h.size() * sizeof(float);
  float *phi, *phi0, *next;
  CUDA_CALL(cudaMalloc(&phi, bytes));
  CUDA_CALL(cudaMalloc(&phi0, bytes));
  CUDA_CALL(cudaMalloc(&next, bytes));
  CUDA_CALL(cudaMemcpy(phi, h.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(phi0, h.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int it = 0; it < 100; ++it) {
    reinit_step<<<grid, block>>>(phi, phi0, next, g);
    std::swap(phi, next);
  }
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaDeviceSynchronize());
  CUDA_CALL(cudaMemcpy(h.data(), phi, bytes, cudaMemcpyDeviceToHost));
  printf("phi at the origin: %f\n", h[size_t(n / 2) * n + n / 2]);
  cudaFree(phi); cudaFree(phi0); cudaFree(next);
  return 0;
}
