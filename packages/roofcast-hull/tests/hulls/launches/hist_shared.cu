#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define BINS 256
__global__ void histogram(const unsigned int *data, unsigned int *bins, int n) {
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[data[i] & 255], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
int main() {
  int n = 1 << 24; unsigned int *d, *b;
  cudaMalloc((void **)&d, n * sizeof(unsigned int)); cudaMalloc((void **)&b, BINS * sizeof(unsigned int));
  cudaMemset(b, 0, BINS * sizeof(unsigned int));
  histogram<<<640, 512>>>(d, b, n);
  cudaDeviceSynchronize();
}