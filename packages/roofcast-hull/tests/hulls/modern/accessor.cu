#include <cuda_runtime.h>
template <typename T, int D> struct TensorAccessor {
  T* data; int sizes[D]; int strides[D];
  __device__ T& operator()(int i, int j) { return data[i * strides[0] + j * strides[1]]; }
  __device__ const T& operator()(int i, int j) const { return data[i * strides[0] + j * strides[1]]; }
  __device__ int size(int d) const { return sizes[d]; }
};
using View = TensorAccessor<float, 2>;
__global__ void laplace(const View u, View v) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < u.size(0) - 1 && j < u.size(1) - 1)
    v(i, j) = 0.25f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
}
int main() {
  const int n = 4096;
  View u{nullptr, {n, n}, {n, 1}}, v{nullptr, {n, n}, {n, 1}};
  cudaMalloc(&u.data, n * n * sizeof(float)); cudaMalloc(&v.data, n * n * sizeof(float));
  dim3 b(32, 8), g(n / b.x, n / b.y);
  for (int it = 0; it < 1000; it++) { laplace<<<g, b>>>(u, v); std::swap(u, v); }
  cudaDeviceSynchronize();
}
