#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void scanBlock(const int *in, int *out, int *sums, int n) {
  extern __shared__ int temp[];
  int tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
  temp[tid] = gid < n ? in[gid] : 0;
  __syncthreads();
  for (int off = 1; off < blockDim.x; off *= 2) {
    int v = tid >= off ? temp[tid - off] : 0;
    __syncthreads();
    temp[tid] += v;
    __syncthreads();
  }
  if (gid < n) out[gid] = temp[tid];
  if (tid == blockDim.x - 1) sums[blockIdx.x] = temp[tid];
}
int main() {
  int n = 1 << 24, T = 1024, B = (n + T - 1) / T; int *a, *b, *s;
  cudaMalloc(&a, n * sizeof(int)); cudaMalloc(&b, n * sizeof(int)); cudaMalloc(&s, B * sizeof(int));
  scanBlock<<<B, T, T * sizeof(int)>>>(a, b, s, n);
}