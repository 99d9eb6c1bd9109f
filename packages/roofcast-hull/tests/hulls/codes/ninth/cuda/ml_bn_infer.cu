// Inference batch norm of [N, C, L] tensors with small accessor structs, a block row for a
// channel, threads along the features. Counts: self-counting scalar translation of an element.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define C10_CUDA_CHECK(EXPR)                                                                 \
  do {                                                                                       \
    const cudaError_t __err = (EXPR);                                                        \
    if (__err != cudaSuccess) {                                                              \
      fprintf(stderr, "CUDA error: %s (%s:%d)\n", cudaGetErrorString(__err), __FILE__, __LINE__); \
      abort();                                                                               \
    }                                                                                        \
  } while (0)

template <typename T, typename index_t>
struct Accessor3 {
  T* __restrict__ data;
  index_t sizes[3];
  index_t strides[3];

  __host__ __device__ index_t size(int i) const { return sizes[i]; }
  __device__ __forceinline__ T& operator()(index_t n, index_t c, index_t l) const {
    return data[n * strides[0] + c * strides[1] + l * strides[2]];
  }
};

template <typename T, typename index_t>
static Accessor3<T, index_t> make_accessor(T* p, index_t n, index_t c, index_t l) {
  return {p, {n, c, l}, {c * l, l, 1}};
}

template <typename input_scalar_t, typename stat_scalar_t, typename index_t>
__global__ void batch_norm_transform_input_kernel(
    const Accessor3<const input_scalar_t, index_t> input,
    Accessor3<input_scalar_t, index_t> output,
    const stat_scalar_t* __restrict__ running_mean,
    const stat_scalar_t* __restrict__ running_var,
    const stat_scalar_t* __restrict__ weight,
    const stat_scalar_t* __restrict__ bias,
    stat_scalar_t epsilon) {
  const index_t plane = blockIdx.x;
  if (plane >= input.size(1)) {
    return;
  }

  const stat_scalar_t gamma = weight[plane];
  const stat_scalar_t beta = bias[plane];
  const stat_scalar_t mean = running_mean[plane];
  const stat_scalar_t invstd = stat_scalar_t(1) / ::sqrt(running_var[plane] + epsilon);

  const index_t bs = input.size(0);
  const index_t fs = input.size(2);
  const index_t bstep = blockDim.y * gridDim.y;
  for (index_t batch = threadIdx.y + blockIdx.y * blockDim.y; batch < bs; batch += bstep) {
    for (index_t feature = threadIdx.x; feature < fs; feature += blockDim.x) {
      output(batch, plane, feature) =
          static_cast<input_scalar_t>(gamma * (input(batch, plane, feature) - mean) * invstd + beta);
    }
  }
}

int main() {
  const int N = 64, C = 256, L = 28 * 28;
  const double eps = 1e-5;
  const size_t count = (size_t)N * C * L;

  std::vector<float> x(count), y(count), mean(C), var(C), gamma(C), beta(C);
  for (size_t i = 0; i < count; ++i) x[i] = (float)((i * 2654435761u) % 2048) / 512.0f - 2.0f;
  for (int c = 0; c < C; ++c) {
    mean[c] = 0.01f * c - 1.0f;
    var[c] = 0.5f + 0.003f * c;
    gamma[c] = 1.0f + 0.001f * c;
    beta[c] = -0.2f + 0.002f * c;
  }

  float *dx, *dy, *dstat;
  C10_CUDA_CHECK(cudaMalloc(&dx, count * sizeof(float)));
  C10_CUDA_CHECK(cudaMalloc(&dy, count * sizeof(float)));
  C10_CUDA_CHECK(cudaMalloc(&dstat, 4 * C * sizeof(float)));
  float *dmean = dstat, *dvar = dstat + C, *dgamma = dstat + 2 * C, *dbeta = dstat + 3 * C;
  C10_CUDA_CHECK(cudaMemcpy(dx, x.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  C10_CUDA_CHECK(cudaMemcpy(dmean, mean.data(), C * sizeof(float), cudaMemcpyHostToDevice));
  C10_CUDA_CHECK(cudaMemcpy(dvar, var.data(), C * sizeof(float), cudaMemcpyHostToDevice));
  C10_CUDA_CHECK(cudaMemcpy(dgamma, gamma.data(), C * sizeof(float), cudaMemcpyHostToDevice));
  C10_CUDA_CHECK(cudaMemcpy(dbeta, beta.data(), C * sizeof(float), cudaMemcpyHostToDevice));

  auto input = make_accessor<const float, int32_t>(dx, N, C, L);
  auto output = make_accessor<float, int32_t>(dy, N, C, L);
  const dim3 threads(128, 4);
  const dim3 blocks(C, (N + threads.y - 1) / threads.y);
  batch_norm_transform_input_kernel<float, float, int32_t>
      <<<blocks, threads>>>(input, output, dmean, dvar, dgamma, dbeta, (float)eps);
  C10_CUDA_CHECK(cudaGetLastError());
  C10_CUDA_CHECK(cudaMemcpy(y.data(), dy, count * sizeof(float), cudaMemcpyDeviceToHost));

  double worst = 0.0;
  for (size_t i = 0; i < count; i += 7919) {
    const int c = (i / L) % C;
    const double ref = gamma[c] * (x[i] - mean[c]) / std::sqrt(var[c] + eps) + beta[c];
    worst = std::fmax(worst, std::fabs(ref - y[i]));
  }
  printf("max abs error %g\n", worst);

  C10_CUDA_CHECK(cudaFree(dx));
  C10_CUDA_CHECK(cudaFree(dy));
  C10_CUDA_CHECK(cudaFree(dstat));
  return 0;
}
