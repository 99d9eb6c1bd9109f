#include <cuda_runtime.h>

constexpr unsigned FULL = 0xffffffffu;
constexpr int kRows = 8192;
constexpr int kCols = 512;
constexpr int kWarpsPerBlock = 8;

__global__ void __launch_bounds__(kWarpsPerBlock * 32) row_dots(const float* __restrict__ a, const float* __restrict__ b,
                                                               float* __restrict__ dots) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
  if (row >= kRows) return;
  const float* pa = a + row * kCols;
  const float* pb = b + row * kCols;
  float acc = 0.f;
  for (int c = lane; c < kCols; c += 32) acc = fmaf(pa[c], pb[c], acc);
#pragma unroll
  for (int m = 16; m >= 1; m >>= 1) acc += __shfl_xor_sync(FULL, acc, m);
  if (lane == 0) dots[row] = acc;
}

int main() {
  float *a, *b, *dots;
  cudaMalloc(&a, sizeof(float) * kRows * kCols);
  cudaMalloc(&b, sizeof(float) * kRows * kCols);
  cudaMalloc(&dots, sizeof(float) * kRows);
  row_dots<<<kRows / kWarpsPerBlock, kWarpsPerBlock * 32>>>(a, b, dots);
  cudaDeviceSynchronize();
}
