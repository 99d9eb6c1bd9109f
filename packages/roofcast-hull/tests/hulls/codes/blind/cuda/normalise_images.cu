#include <cuda_runtime.h>
#include <cstdint>

__constant__ float kMean[3] = {0.485f, 0.456f, 0.406f};
__constant__ float kStd[3] = {0.229f, 0.224f, 0.225f};

// bytes, channels last -> floats, channels first
__global__ void to_planes(const uint8_t* __restrict__ in, float* __restrict__ out, int pixels) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int img = blockIdx.y;
  if (p >= pixels) return;
  const uint8_t* src = in + (img * pixels + p) * 3;
  float* dst = out + img * 3 * pixels + p;
#pragma unroll
  for (int c = 0; c < 3; ++c) dst[c * pixels] = (src[c] / 255.0f - kMean[c]) / kStd[c];
}

int main() {
  constexpr int images = 8, side = 224;
  uint8_t* in;
  float* out;
  cudaMalloc(&in, images * side * side * 3);
  cudaMalloc(&out, images * side * side * 3 * sizeof(float));
  dim3 grid((side * side + 255) / 256, images);
  to_planes<<<grid, 256>>>(in, out, side * side);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
