// Two pieces of a variational auto-encoder as a PyTorch extension: the KL term of
// each sample (one block a row) and the reparametrised draw z = mu + sigma * eps.
// Operations: 6 an element of the row (add, multiply, subtract, exp, subtract, sum) and one
// scaling a row; 4 an element for the draw.
#include <torch/torch.h>
#include <c10/cuda/CUDAException.h>
#include <iostream>
#include <vector>

namespace {

constexpr int kBlock = 128;

template <typename scalar_t>
__global__ void kl_rows_kernel(const scalar_t* __restrict__ mu,
                               const scalar_t* __restrict__ logvar,
                               scalar_t* __restrict__ kl,
                               int64_t latent) {
  __shared__ scalar_t part[kBlock];
  const int64_t row = blockIdx.x;
  scalar_t sum = 0;
  for (int64_t j = threadIdx.x; j < latent; j += kBlock) {
    const scalar_t m = mu[row * latent + j];
    const scalar_t lv = logvar[row * latent + j];
    sum += scalar_t(1) + lv - m * m - exp(lv);
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) kl[row] = scalar_t(-0.5) * part[0];
}

template <typename scalar_t>
__global__ void reparam_kernel(const scalar_t* __restrict__ mu,
                               const scalar_t* __restrict__ logvar,
                               const scalar_t* __restrict__ eps,
                               scalar_t* __restrict__ z,
                               int64_t numel) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < numel) {
    z[i] = mu[i] + exp(scalar_t(0.5) * logvar[i]) * eps[i];
  }
}

}  // namespace

std::vector<torch::Tensor> vae_terms(torch::Tensor mu, torch::Tensor logvar, torch::Tensor eps) {
  TORCH_CHECK(mu.is_cuda() && logvar.is_cuda() && eps.is_cuda(), "CUDA tensors expected");
  TORCH_CHECK(mu.is_contiguous() && logvar.is_contiguous() && eps.is_contiguous());
  const int64_t rows = mu.size(0), latent = mu.size(1);
  auto kl = torch::empty({rows}, mu.options());
  auto z = torch::empty_like(mu);
  AT_DISPATCH_FLOATING_TYPES(mu.scalar_type(), "vae_terms", ([&] {
    kl_rows_kernel<scalar_t><<<rows, kBlock>>>(
        mu.data_ptr<scalar_t>(), logvar.data_ptr<scalar_t>(), kl.data_ptr<scalar_t>(), latent);
    const int64_t n = mu.numel();
    reparam_kernel<scalar_t><<<(n + 255) / 256, 256>>>(
        mu.data_ptr<scalar_t>(), logvar.data_ptr<scalar_t>(), eps.data_ptr<scalar_t>(),
        z.data_ptr<scalar_t>(), n);
  }));
  C10_CUDA_CHECK(cudaGetLastError());
  return {kl, z};
}

int main() {
  auto opts = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA);
  auto mu = torch::randn({96, 200}, opts);
  auto logvar = torch::randn({96, 200}, opts) * 0.1;
  auto eps = torch::randn({96, 200}, opts);
  auto r = vae_terms(mu, logvar, eps);
  auto ref = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1);
  std::cout << "kl difference " << (r[0] - ref).abs().max().item<float>() << "\n";
  return 0;
}
