// D2Q9 lattice Boltzmann post-processing: density and velocity of every node from the populations (SoA).
// Operations by hand: 8 sums, 5 + 5, a reciprocal and two products: 21 a node.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define Q 9
#define NX 3072
#define NY 1024
#define NODES (NX * NY)

#define checkCuda(e) _checkCuda((e), __FILE__, __LINE__)
static void _checkCuda(cudaError_t e, const char *f, int l) {
  if (e != cudaSuccess) {
    fprintf(stderr, "[%s:%d] %s\n", f, l, cudaGetErrorName(e));
    exit(EXIT_FAILURE);
  }
}

/*   6 2 5
 *   3 0 1
 *   7 4 8   */
__global__ void macroscopic(const float *f, float *rho, float *ux, float *uy) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= NX) return;
  const int k = y * NX + x;

  float p[Q];
  for (int q = 0; q < Q; q++) p[q] = f[q * NODES + k];

  float r = p[0];
  for (int q = 1; q < Q; q++) r += p[q];
  const float inv = 1.0f / r;

  rho[k] = r;
  ux[k] = (p[1] + p[5] + p[8] - p[3] - p[6] - p[7]) * inv;
  uy[k] = (p[2] + p[5] + p[6] - p[4] - p[7] - p[8]) * inv;
}

int main() {
  const float wt[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  float *h = (float *)malloc((size_t)Q * NODES * sizeof(float));
  for (int q = 0; q < Q; q++)
    for (int k = 0; k < NODES; k++) h[(size_t)q * NODES + k] = wt[q] * (1.0f + 0.01f * (k % 10));

  float *f, *rho, *ux, *uy;
  checkCuda(cudaMalloc((void **)&f, (size_t)Q * NODES * sizeof(float)));
  checkCuda(cudaMalloc((void **)&rho, NODES * sizeof(float)));
  checkCuda(cudaMalloc((void **)&ux, NODES * sizeof(float)));
  checkCuda(cudaMalloc((void **)&uy, NODES * sizeof(float)));
  checkCuda(cudaMemcpy(f, h, (size_t)Q * NODES * sizeof(float), cudaMemcpyHostToDevice));

  macroscopic<<<dim3(NX / 128, NY), 128>>>(f, rho, ux, uy);
  checkCuda(cudaGetLastError());
  checkCuda(cudaDeviceSynchronize());

  checkCuda(cudaMemcpy(h, rho, NODES * sizeof(float), cudaMemcpyDeviceToHost));
  printf("rho[9] = %f (1.09 expected)\n", h[9]);
  cudaFree(f);
  cudaFree(rho);
  cudaFree(ux);
  cudaFree(uy);
  free(h);
  return 0;
}
