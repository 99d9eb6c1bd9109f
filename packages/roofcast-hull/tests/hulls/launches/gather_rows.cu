#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void embed(const float *table, const int *ids, float *out, int rows, int dim) {
  int r = blockIdx.x; int row = ids[r];
  for (int j = threadIdx.x; j < dim; j += blockDim.x) out[r * dim + j] = table[row * dim + j];
}
int main() {
  int rows = 65536, dim = 256, vocab = 50000; float *t, *o; int *ids;
  cudaMalloc(&t, (size_t)vocab * dim * sizeof(float)); cudaMalloc(&o, (size_t)rows * dim * sizeof(float)); cudaMalloc(&ids, rows * sizeof(int));
  embed<<<rows, 128>>>(t, ids, o, rows, dim);
}