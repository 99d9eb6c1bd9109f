#include <cuda_runtime.h>
__device__ int warp_inclusive_scan(int v) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) { int t = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) v += t; }
  return v;
}
__global__ void block_scan(const int* in, int* out, int* sums, int n) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int s = warp_inclusive_scan(v);
  if ((threadIdx.x & 31) == 31) warp_sums[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) { int w = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0; warp_sums[threadIdx.x] = warp_inclusive_scan(w); }
  __syncthreads();
  if (threadIdx.x >= 32) s += warp_sums[(threadIdx.x >> 5) - 1];
  if (i < n) out[i] = s - v;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = s;
}
int main() {
  const int n = 1 << 24, t = 1024; int *in, *out, *sums;
  cudaMalloc(&in, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int)); cudaMalloc(&sums, n / t * sizeof(int));
  block_scan<<<n / t, t>>>(in, out, sums, n);
  cudaDeviceSynchronize();
}
