#include <cuda_runtime.h>
#define FULL 0xffffffffu
template <typename T, int BLOCK> struct BlockReduce {
  struct TempStorage { T warps[BLOCK / 32]; };
  TempStorage& temp;
  __device__ explicit BlockReduce(TempStorage& t) : temp(t) {}
  __device__ T Sum(T v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o);
    if (threadIdx.x % 32 == 0) temp.warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) { for (int w = 1; w < BLOCK / 32; ++w) v += temp.warps[w]; }
    return v;
  }
};
template <int BLOCK, int ITEMS> __global__ void reduce(const double* in, double* out, int n) {
  using Reducer = BlockReduce<double, BLOCK>;
  __shared__ typename Reducer::TempStorage storage;
  double items[ITEMS]; double sum = 0;
  const int base = blockIdx.x * BLOCK * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) { int i = base + k * BLOCK + threadIdx.x; items[k] = i < n ? in[i] : 0.0; }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) sum += items[k];
  double total = Reducer(storage).Sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
int main() {
  const int n = 1 << 23, B = 256, I = 8;
  double *in, *out; cudaMalloc(&in, n * 8ull); cudaMalloc(&out, n / (B * I) * sizeof(double));
  reduce<B, I><<<n / (B * I), B>>>(in, out, n);
  cudaDeviceSynchronize();
}
