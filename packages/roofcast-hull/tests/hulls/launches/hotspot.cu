#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void hotspot(const float *power, const float *tin, float *tout, int col, int row, float Cap, float Rx, float Ry, float Rz, float step) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  int id = i * col + j;
  int N = (i == 0) ? id : id - col, S = (i == row - 1) ? id : id + col, W = (j == 0) ? id : id - 1, E = (j == col - 1) ? id : id + 1;
  tout[id] = tin[id] + step / Cap * (power[id] + (tin[S] + tin[N] - 2.0f * tin[id]) / Ry + (tin[E] + tin[W] - 2.0f * tin[id]) / Rx + (80.0f - tin[id]) / Rz);
}
int main() {
  int row = 1024, col = 1024; float *p, *a, *b; cudaMalloc(&p, sizeof(float) * row * col); cudaMalloc(&a, sizeof(float) * row * col); cudaMalloc(&b, sizeof(float) * row * col);
  dim3 dimBlock(16, 16); dim3 dimGrid(col / 16, row / 16);
  for (int t = 0; t < 60; t++) { hotspot<<<dimGrid, dimBlock>>>(p, (t % 2) ? b : a, (t % 2) ? a : b, col, row, 0.5f, 1.f, 2.f, 3.f, 0.01f); }
}