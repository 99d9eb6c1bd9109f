#include <cuda_runtime.h>

template <int COLS>
__global__ void softmax_warp(const float* __restrict__ in, float* __restrict__ out, int rows) {
  constexpr int PER_LANE = COLS / 32;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* src = in + row * COLS;
  float* dst = out + row * COLS;
  float v[PER_LANE];
  float top = -1e30f;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) {
    v[i] = src[threadIdx.x + 32 * i];
    top = fmaxf(top, v[i]);
  }
  for (int m = 16; m > 0; m >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, m));
  float sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) {
    v[i] = __expf(v[i] - top);
    sum += v[i];
  }
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  float inv = 1.f / sum;
#pragma unroll
  for (int i = 0; i < PER_LANE; ++i) dst[threadIdx.x + 32 * i] = v[i] * inv;
}

int main() {
  const int rows = 32768;
  float *in, *out;
  cudaMalloc(&in, rows * 128 * sizeof(float));
  cudaMalloc(&out, rows * 128 * sizeof(float));
  softmax_warp<128><<<rows / 4, dim3(32, 4)>>>(in, out, rows);
  cudaDeviceSynchronize();
}
