// Gated activations of a transformer MLP: out[t][i] = ACT(in[t][i]) * in[t][d + i],
// one block a token, the activation as a template argument.
// Counts: self-counting scalar translation of the tanh-GELU path.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                                  \
  do {                                                                                    \
    cudaError_t err_ = (call);                                                            \
    if (err_ != cudaSuccess) {                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));       \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

namespace ml {

template <typename T>
__device__ __forceinline__ T gelu_tanh_kernel(const T& x) {
  const float f = (float)x;
  constexpr float BETA = M_SQRT2 * M_2_SQRTPI * 0.5f;
  constexpr float KAPPA = 0.044715f;
  float x_cube = f * f * f;
  float inner = BETA * (f + KAPPA * x_cube);
  return (T)(0.5f * f * (1.0f + ::tanhf(inner)));
}

template <typename scalar_t, scalar_t (*ACT_FN)(const scalar_t&)>
__device__ __forceinline__ scalar_t compute(const scalar_t& x, const scalar_t& y) {
  return ACT_FN(x) * y;
}

template <typename scalar_t, scalar_t (*ACT_FN)(const scalar_t&)>
__global__ void act_and_mul_kernel(scalar_t* __restrict__ out,          // [..., d]
                                   const scalar_t* __restrict__ input,  // [..., 2, d]
                                   const int d) {
  const int64_t token_idx = blockIdx.x;
  for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {
    const scalar_t x = __ldg(&input[token_idx * 2 * d + idx]);
    const scalar_t y = __ldg(&input[token_idx * 2 * d + d + idx]);
    out[token_idx * d + idx] = compute<scalar_t, ACT_FN>(x, y);
  }
}

}  // namespace ml

static float reference(float x, float y) {
  const double inner = 0.7978845608028654 * (x + 0.044715 * (double)x * x * x);
  return (float)(0.5 * x * (1.0 + std::tanh(inner)) * y);
}

int main(int argc, char** argv) {
  const int num_tokens = argc > 1 ? atoi(argv[1]) : 2048;
  const int d = argc > 2 ? atoi(argv[2]) : 14336;

  const size_t n_in = (size_t)num_tokens * 2 * d;
  const size_t n_out = (size_t)num_tokens * d;
  std::vector<float> h_in(n_in), h_out(n_out);
  unsigned state = 12345u;
  for (size_t i = 0; i < n_in; ++i) {
    state = state * 1664525u + 1013904223u;
    h_in[i] = ((state >> 8) * (1.0f / 16777216.0f) - 0.5f) * 6.0f;
  }

  float *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n_in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_out, n_out * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, h_in.data(), n_in * sizeof(float), cudaMemcpyHostToDevice));

  dim3 grid(num_tokens);
  dim3 block(d < 1024 ? d : 1024);
  ml::act_and_mul_kernel<float, ml::gelu_tanh_kernel<float>><<<grid, block>>>(d_out, d_in, d);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(h_out.data(), d_out, n_out * sizeof(float), cudaMemcpyDeviceToHost));

  float worst = 0.0f;
  for (size_t i = 0; i < n_out; i += 9973) {
    const size_t t = i / d, c = i % d;
    const float e = std::fabs(h_out[i] - reference(h_in[t * 2 * d + c], h_in[t * 2 * d + d + c]));
    if (e > worst) worst = e;
  }
  printf("max error of the sample: %g\n", worst);

  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  return 0;
}
