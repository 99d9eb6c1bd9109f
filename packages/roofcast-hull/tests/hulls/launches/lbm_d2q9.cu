#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float w[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
__global__ void lbm(const float *__restrict__ f, float *__restrict__ g, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float fl[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int xs = (x - ex[k] + nx) % nx, ys = (y - ey[k] + ny) % ny;
    fl[k] = f[k * nx * ny + ys * nx + xs];
    rho += fl[k]; ux += ex[k] * fl[k]; uy += ey[k] * fl[k];
  }
  ux /= rho; uy /= rho;
  float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) {
    float cu = 3.0f * (ex[k] * ux + ey[k] * uy);
    float feq = w[k] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
    g[k * nx * ny + y * nx + x] = fl[k] - omega * (fl[k] - feq);
  }
}
int main() {
  int nx = 2048, ny = 2048; float *a, *b; cudaMalloc(&a, 9 * nx * ny * sizeof(float)); cudaMalloc(&b, 9 * nx * ny * sizeof(float));
  dim3 tb(64, 4); dim3 gr(nx / tb.x, ny / tb.y);
  lbm<<<gr, tb>>>(a, b, nx, ny, 1.2f);
}