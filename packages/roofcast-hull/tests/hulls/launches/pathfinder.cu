#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define HALO 1
#define BLOCK_SIZE 256
__global__ void dynproc(int iteration, int *gpuWall, int *gpuSrc, int *gpuResults, int cols, int startStep) {
  __shared__ int prev[BLOCK_SIZE]; __shared__ int result[BLOCK_SIZE];
  int tx = threadIdx.x, small = BLOCK_SIZE - iteration * HALO * 2;
  int blkX = small * blockIdx.x - iteration * HALO, xidx = blkX + tx;
  if (xidx >= 0 && xidx < cols) prev[tx] = gpuSrc[xidx];
  __syncthreads();
  for (int i = 0; i < iteration; i++) {
    if (tx >= i + 1 && tx <= BLOCK_SIZE - i - 2 && xidx >= 0 && xidx < cols) {
      int W = max(tx - 1, 0), E = min(tx + 1, BLOCK_SIZE - 1);
      int shortest = min(min(prev[W], prev[tx]), prev[E]);
      result[tx] = shortest + gpuWall[cols * (startStep + i) + xidx];
    }
    __syncthreads();
    if (i < iteration - 1) prev[tx] = result[tx];
    __syncthreads();
  }
  if (tx >= iteration && tx < BLOCK_SIZE - iteration && xidx < cols) gpuResults[xidx] = result[tx];
}
int main() {
  int cols = 1000000, rows = 100, pyr = 20; int *w, *a, *b; cudaMalloc(&w, sizeof(int) * cols * rows); cudaMalloc(&a, sizeof(int) * cols); cudaMalloc(&b, sizeof(int) * cols);
  int nb = (cols + BLOCK_SIZE - 2 * pyr - 1) / (BLOCK_SIZE - 2 * pyr);
  dynproc<<<nb, BLOCK_SIZE>>>(pyr, w, a, b, cols, 0);
}