#include <cuda_runtime.h>
constexpr int R = 4;
constexpr int TW = 32, TH = 8;
__constant__ float c_kernel[2 * R + 1];
template <int RADIUS> __global__ void row_filter(float* dst, const float* src, int w, int h, size_t pitch) {
  __shared__ float s[TH][TW + 2 * RADIUS];
  const int x = blockIdx.x * TW + threadIdx.x, y = blockIdx.y * TH + threadIdx.y;
  const float* row = (const float*)((const char*)src + y * pitch);
  s[threadIdx.y][threadIdx.x + RADIUS] = row[x];
  if (threadIdx.x < RADIUS) {
    s[threadIdx.y][threadIdx.x] = x >= RADIUS ? row[x - RADIUS] : 0.f;
    s[threadIdx.y][threadIdx.x + TW + RADIUS] = x + TW < w ? row[x + TW] : 0.f;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += c_kernel[k + RADIUS] * s[threadIdx.y][threadIdx.x + RADIUS + k];
  ((float*)((char*)dst + y * pitch))[x] = sum;
}
int main() {
  const int w = 4096, h = 2160;
  float *src, *dst; size_t pitch;
  cudaMallocPitch(&src, &pitch, w * sizeof(float), h);
  cudaMallocPitch(&dst, &pitch, w * sizeof(float), h);
  float hk[2 * R + 1] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
  cudaMemcpyToSymbol(c_kernel, hk, sizeof(hk));
  row_filter<R><<<dim3(w / TW, h / TH), dim3(TW, TH)>>>(dst, src, w, h, pitch);
  cudaDeviceSynchronize();
}
