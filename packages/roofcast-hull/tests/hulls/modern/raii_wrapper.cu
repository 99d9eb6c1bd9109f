#include <cuda_runtime.h>
#include <memory>
#include <vector>
#include <numeric>
#include <iostream>
template <typename T> class DeviceBuffer {
  T* ptr_ = nullptr; std::size_t n_;
 public:
  explicit DeviceBuffer(std::size_t n) : n_(n) { cudaMalloc(&ptr_, n * sizeof(T)); }
  ~DeviceBuffer() { cudaFree(ptr_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  T* get() { return ptr_; }
  std::size_t size() const { return n_; }
};
__global__ void axpby(float a, const float* x, float b, float* y, std::size_t n) {
  const auto i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = a * x[i] + b * y[i];
}
int main() {
  constexpr std::size_t n = std::size_t{1} << 22;
  std::vector<float> h(n); std::iota(h.begin(), h.end(), 0.f);
  DeviceBuffer<float> x(n), y(n);
  cudaMemcpy(x.get(), h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const unsigned threads = 256, blocks = (n + threads - 1) / threads;
  axpby<<<blocks, threads>>>(2.f, x.get(), 3.f, y.get(), y.size());
  if (auto e = cudaDeviceSynchronize(); e != cudaSuccess) std::cerr << cudaGetErrorString(e) << '\n';
}
