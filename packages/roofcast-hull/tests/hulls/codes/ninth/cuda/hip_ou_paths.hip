// Ornstein-Uhlenbeck paths (HIP): exact discretisation, 252 steps, xorshift generator and Box-Muller in the thread;
// the terminal value and the mean of each path are kept.
// Operations counted with self-counting Python numbers: 9 a thread to seed, 38 for each pair of steps, 1 at the end.
// No hipcc at hand: checked by reading, and by nvcc with the names replaced.
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(expr)                                                            \
  do {                                                                             \
    hipError_t err = (expr);                                                       \
    if (err != hipSuccess) {                                                       \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, hipGetErrorString(err));   \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)

constexpr int kPaths = 1 << 18;
constexpr int kSteps = 252;

__device__ inline unsigned next(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__device__ inline float uniform(unsigned& s) {
  return (float)(next(s) >> 8) * (1.0f / 16777216.0f) + 2.98e-8f;
}

__global__ void ou_paths(float* terminal, float* average, float x0, float mean, float decay, float vol,
                         unsigned seed, int n) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  unsigned s = (unsigned)(tid + 1) * 2654435761u;
  s ^= s >> 16;
  s *= 0x85ebca6bu;
  s ^= s >> 13;
  s ^= seed;
  s |= 1u;

  float x = x0, sum = 0.0f;
  for (int t = 0; t < kSteps; t += 2) {
    const float r = sqrtf(-2.0f * logf(uniform(s)));
    const float th = 6.28318531f * uniform(s);
    x = mean + (x - mean) * decay + vol * (r * cosf(th));
    sum += x;
    x = mean + (x - mean) * decay + vol * (r * sinf(th));
    sum += x;
  }
  terminal[tid] = x;
  average[tid] = sum * (1.0f / kSteps);
}

int main() {
  float *terminal, *average;
  HIP_CHECK(hipMalloc(&terminal, kPaths * sizeof(float)));
  HIP_CHECK(hipMalloc(&average, kPaths * sizeof(float)));

  const float theta = 2.0f, sigma = 0.3f, dt = 1.0f / kSteps;
  const float decay = std::exp(-theta * dt);
  const float vol = sigma * std::sqrt((1.0f - decay * decay) / (2.0f * theta));
  const dim3 block(256), grid((kPaths + 255) / 256);
  hipLaunchKernelGGL(ou_paths, grid, block, 0, 0, terminal, average, 1.5f, 1.0f, decay, vol, 20240607u, kPaths);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  std::vector<float> h(kPaths);
  HIP_CHECK(hipMemcpy(h.data(), terminal, kPaths * sizeof(float), hipMemcpyDeviceToHost));
  double m = 0;
  for (float v : h) m += v;
  printf("mean of X(1): %f, exact %f\n", m / kPaths, 1.0 + 0.5 * std::exp(-2.0));
  HIP_CHECK(hipFree(terminal));
  HIP_CHECK(hipFree(average));
  return 0;
}
