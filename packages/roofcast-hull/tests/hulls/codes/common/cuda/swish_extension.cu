#include <torch/extension.h>
#include <cuda.h>
#include <cuda_runtime.h>
#define CHECK_INPUT(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
template <typename scalar_t>
__global__ void swish_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, const size_t n) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) { const scalar_t v = x[i]; y[i] = v / (scalar_t(1) + exp(-v)); }
}
torch::Tensor swish_forward(torch::Tensor x) {
  CHECK_INPUT(x);
  auto y = torch::empty_like(x);
  const auto n = x.numel();
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "swish_forward", ([&] {
    swish_kernel<scalar_t><<<blocks, threads>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
  }));
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &swish_forward, "Swish forward"); }
