// Gradient unscaling of mixed-precision training: multiply by the inverse loss scale in place and
// raise a flag where a number is not finite. Operations: a product and a test for each gradient, by hand.
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <vector>

#define CUDA_OK(x) if ((x) != cudaSuccess) { std::cerr << "cuda error at line " << __LINE__ << std::endl; return 1; }

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
unscale_and_check(float* grads, const float* inv_scale, float* found_inf, size_t count) {
  const size_t idx = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (idx >= count) return;
  const float g = grads[idx];
  if (!isfinite(g)) *found_inf = 1.0f;
  grads[idx] = g * (*inv_scale);
}

int main() {
  constexpr size_t count = 25557032;  // ResNet-50
  constexpr int block = 512;
  std::vector<float> host(count);
  for (size_t i = 0; i < count; ++i) host[i] = float(int(i % 2001) - 1000) * 65.536f;

  float *grads, *inv_scale, *found;
  CUDA_OK(cudaMalloc(&grads, count * sizeof(float)));
  CUDA_OK(cudaMalloc(&inv_scale, sizeof(float)));
  CUDA_OK(cudaMalloc(&found, sizeof(float)));
  const float inv = 1.0f / 65536.0f;
  CUDA_OK(cudaMemcpy(grads, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(inv_scale, &inv, sizeof(float), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(found, 0, sizeof(float)));

  unscale_and_check<block><<<(count + block - 1) / block, block>>>(grads, inv_scale, found, count);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());

  float flag = -1.0f;
  CUDA_OK(cudaMemcpy(&flag, found, sizeof(float), cudaMemcpyDeviceToHost));
  std::cout << "found_inf = " << flag << std::endl;
  cudaFree(grads);
  cudaFree(inv_scale);
  cudaFree(found);
  return 0;
}
