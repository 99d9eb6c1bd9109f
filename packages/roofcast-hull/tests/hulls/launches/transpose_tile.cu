#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

constexpr int TILE = 32; constexpr int ROWS = 8;
__global__ void transpose(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) if (x < width && (y + j) < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) if (x < height && (y + j) < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 4096, ny = argc > 2 ? atoi(argv[2]) : 4096;
  float *a, *b; cudaMalloc(&a, nx * ny * sizeof(float)); cudaMalloc(&b, nx * ny * sizeof(float));
  dim3 grid(nx / TILE, ny / TILE), block(TILE, ROWS);
  transpose<<<grid, block>>>(b, a, nx, ny);
}