// log-sigmoid and its gradient in half precision with float arithmetic; elementwise kernels
// with a block of work per thread. Counts: self-counting scalar translation.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK_CUDA(x)                                                                     \
  do {                                                                                    \
    cudaError_t status = (x);                                                             \
    if (status != cudaSuccess) {                                                          \
      std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(status));            \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

constexpr int num_threads = 128;
constexpr int thread_work_size = 4;
constexpr int block_work_size = thread_work_size * num_threads;

template <typename T> struct OpMathType { using type = T; };
template <> struct OpMathType<__half> { using type = float; };

template <typename scalar_t>
__launch_bounds__(num_threads)
__global__ void log_sigmoid_forward_kernel(int N, const scalar_t* in, scalar_t* out) {
  using opmath_t = typename OpMathType<scalar_t>::type;
  int idx = block_work_size * blockIdx.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < thread_work_size; i++) {
    if (idx < N) {
      const opmath_t x = static_cast<opmath_t>(in[idx]);
      const opmath_t min = fminf(opmath_t(0), x);
      const opmath_t z = expf(-fabsf(x));
      out[idx] = static_cast<scalar_t>(min - log1pf(z));
    }
    idx += num_threads;
  }
}

template <typename scalar_t>
__launch_bounds__(num_threads)
__global__ void log_sigmoid_backward_kernel(int N, const scalar_t* in, const scalar_t* grad_out, scalar_t* grad_in) {
  using opmath_t = typename OpMathType<scalar_t>::type;
  int idx = block_work_size * blockIdx.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < thread_work_size; i++) {
    if (idx < N) {
      const opmath_t x = static_cast<opmath_t>(in[idx]);
      const opmath_t g = static_cast<opmath_t>(grad_out[idx]);
      const bool in_negative = x < opmath_t(0);
      const opmath_t max_deriv = in_negative ? opmath_t(1) : opmath_t(0);
      const opmath_t sign = in_negative ? opmath_t(1) : opmath_t(-1);
      const opmath_t z = expf(-fabsf(x));
      grad_in[idx] = static_cast<scalar_t>(g * (max_deriv - sign * (z / (opmath_t(1) + z))));
    }
    idx += num_threads;
  }
}

template <typename scalar_t>
__global__ void fill_ramp(scalar_t* p, int n, float lo, float step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = static_cast<scalar_t>(lo + step * (i % 4096));
}

int main() {
  const int N = 1 << 25;
  __half *x, *y, *gy, *gx;
  CHECK_CUDA(cudaMalloc(&x, N * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&y, N * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&gy, N * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&gx, N * sizeof(__half)));

  fill_ramp<__half><<<N / 256, 256>>>(x, N, -8.0f, 16.0f / 4096);
  fill_ramp<__half><<<N / 256, 256>>>(gy, N, 1.0f, 0.0f);
  CHECK_CUDA(cudaGetLastError());

  const int grid = (N + block_work_size - 1) / block_work_size;
  cudaEvent_t start, stop;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop));
  CHECK_CUDA(cudaEventRecord(start));
  log_sigmoid_forward_kernel<__half><<<grid, num_threads>>>(N, x, y);
  log_sigmoid_backward_kernel<__half><<<grid, num_threads>>>(N, x, gy, gx);
  CHECK_CUDA(cudaEventRecord(stop));
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaEventSynchronize(stop));
  float ms = 0.0f;
  CHECK_CUDA(cudaEventElapsedTime(&ms, start, stop));

  __half sample[2];
  CHECK_CUDA(cudaMemcpy(&sample[0], y + 2048, sizeof(__half), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&sample[1], gx + 2048, sizeof(__half), cudaMemcpyDeviceToHost));
  std::printf("logsigmoid(0) = %f (%f), slope %f (0.5), %.3f ms\n", __half2float(sample[0]), -std::log(2.0),
              __half2float(sample[1]), ms);

  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaEventDestroy(stop));
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaFree(y));
  CHECK_CUDA(cudaFree(gy));
  CHECK_CUDA(cudaFree(gx));
  return 0;
}
