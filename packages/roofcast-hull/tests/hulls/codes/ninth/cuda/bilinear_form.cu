// score[n] = x[n]^T A z[n]: bilinear scoring of pairs (knowledge-graph embeddings, RESCAL with one relation).
// A block of D threads computes one score. Operations by hand: 2*D*D + 2*D a pair (less one sum).
#include <cuda_runtime.h>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
constexpr int D = 64;

inline void ensure(cudaError_t status, const char* where) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(status));
}

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t n) : n_(n) { ensure(cudaMalloc(&p_, n * sizeof(T)), "cudaMalloc"); }
  ~DeviceBuffer() { cudaFree(p_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  T* get() { return p_; }
  void upload(const std::vector<T>& h) {
    ensure(cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  void download(std::vector<T>& h) {
    ensure(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
  }

 private:
  T* p_ = nullptr;
  size_t n_;
};
}  // namespace

__global__ void bilinear_score(const float* x, const float* A, const float* z, float* score) {
  __shared__ float xs[D];
  __shared__ float red[D];
  const int pair = blockIdx.x;
  const int j = threadIdx.x;

  xs[j] = x[pair * D + j];
  __syncthreads();

  float t = 0.0f;
  for (int i = 0; i < D; ++i) t = fmaf(xs[i], A[i * D + j], t);
  red[j] = t * z[pair * D + j];
  __syncthreads();

  for (int half = D / 2; half >= 1; half /= 2) {
    if (j < half) red[j] += red[j + half];
    __syncthreads();
  }
  if (j == 0) score[pair] = red[0];
}

int main() {
  try {
    const int pairs = 32768;
    std::vector<float> hx(size_t(pairs) * D), hz(size_t(pairs) * D), hA(D * D), hs(pairs);
    for (size_t i = 0; i < hx.size(); ++i) {
      hx[i] = float(i % 13) / 13.0f - 0.5f;
      hz[i] = float(i % 11) / 11.0f - 0.5f;
    }
    for (int i = 0; i < D * D; ++i) hA[i] = float(i % 5) * 0.1f;
    DeviceBuffer<float> x(hx.size()), z(hz.size()), A(hA.size()), s(hs.size());
    x.upload(hx);
    z.upload(hz);
    A.upload(hA);
    bilinear_score<<<pairs, D>>>(x.get(), A.get(), z.get(), s.get());
    ensure(cudaGetLastError(), "launch");
    ensure(cudaDeviceSynchronize(), "sync");
    s.download(hs);
    std::cout << "score[0] = " << hs[0] << "\n";
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
  return 0;
}
