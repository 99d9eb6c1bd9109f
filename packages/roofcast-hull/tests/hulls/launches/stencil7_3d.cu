#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define IDX(i,j,k) ((k) * nx * ny + (j) * nx + (i))
__global__ void stencil(const double *in, double *out, int nx, int ny, int nz, double c0, double c1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i >= nx - 1 || j >= ny - 1) return;
  for (int k = 1; k < nz - 1; ++k)
    out[IDX(i,j,k)] = c0 * in[IDX(i,j,k)] + c1 * (in[IDX(i-1,j,k)] + in[IDX(i+1,j,k)] + in[IDX(i,j-1,k)] + in[IDX(i,j+1,k)] + in[IDX(i,j,k-1)] + in[IDX(i,j,k+1)]);
}
int main() {
  int nx = 512, ny = 512, nz = 512, steps = 100; double *a, *b; size_t sz = sizeof(double) * nx * ny * nz;
  cudaMalloc(&a, sz); cudaMalloc(&b, sz);
  dim3 t(32, 8); dim3 g((nx - 2 + t.x - 1) / t.x, (ny - 2 + t.y - 1) / t.y);
  for (int s = 0; s < steps; s++) { stencil<<<g, t>>>(a, b, nx, ny, nz, 0.5, 1.0 / 12); double *tmp = a; a = b; b = tmp; }
  cudaDeviceSynchronize();
}