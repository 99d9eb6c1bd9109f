// Counterparty credit: simulated trade values are netted per path and date after collateral,
// then expected positive and negative exposure of each date.
// Operations by hand: 16 a (date, path) for the netting (15 sums, less the collateral); 4 a path and 2 a date.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#include <cuda_runtime.h>

namespace cfg {
constexpr int trades = 16;
constexpr int dates = 60;
constexpr int paths = 16384;
constexpr int threads = 256;
}  // namespace cfg

#define CUDA_TRY(x)                                                             \
  do {                                                                          \
    cudaError_t status = (x);                                                   \
    if (status != cudaSuccess) {                                                \
      std::fprintf(stderr, "%s failed with %s\n", #x, cudaGetErrorName(status)); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

// values: [trade][date][path]
__global__ void net_values(const float* __restrict__ values, float* __restrict__ net, float collateral) {
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  const int date = blockIdx.y;
  if (path >= cfg::paths) return;
  float total = values[date * cfg::paths + path];
  for (int k = 1; k < cfg::trades; ++k)
    total += values[(k * cfg::dates + date) * cfg::paths + path];
  net[date * cfg::paths + path] = total - collateral;
}

__global__ void expected_exposure(const float* __restrict__ net, float* __restrict__ epe, float* __restrict__ ene) {
  __shared__ float pos_s[cfg::threads];
  __shared__ float neg_s[cfg::threads];
  const float* v = net + blockIdx.x * cfg::paths;
  float pos = 0.0f, neg = 0.0f;
  for (int p = threadIdx.x; p < cfg::paths; p += cfg::threads) {
    const float x = v[p];
    pos += fmaxf(x, 0.0f);
    neg += fminf(x, 0.0f);
  }
  pos_s[threadIdx.x] = pos;
  neg_s[threadIdx.x] = neg;
  __syncthreads();
  for (int s = cfg::threads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      pos_s[threadIdx.x] += pos_s[threadIdx.x + s];
      neg_s[threadIdx.x] += neg_s[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    epe[blockIdx.x] = pos_s[0] * (1.0f / cfg::paths);
    ene[blockIdx.x] = neg_s[0] * (1.0f / cfg::paths);
  }
}

int main() {
  using namespace cfg;
  const size_t n = size_t(trades) * dates * paths;
  std::vector<float> h(n);
  std::minstd_rand rng(42);
  std::uniform_real_distribution<float> uni(-1.0f, 1.0f);
  for (int k = 0; k < trades; ++k)
    for (int t = 0; t < dates; ++t) {
      const float vol = 0.1f * std::sqrt(float(t + 1)) * (1.0f - float(t) / dates);
      for (int p = 0; p < paths; ++p) h[(size_t(k) * dates + t) * paths + p] = vol * uni(rng);
    }

  float *values, *net, *epe, *ene;
  CUDA_TRY(cudaMalloc(&values, n * sizeof(float)));
  CUDA_TRY(cudaMalloc(&net, size_t(dates) * paths * sizeof(float)));
  CUDA_TRY(cudaMalloc(&epe, dates * sizeof(float)));
  CUDA_TRY(cudaMalloc(&ene, dates * sizeof(float)));
  CUDA_TRY(cudaMemcpy(values, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  net_values<<<dim3((paths + threads - 1) / threads, dates), threads>>>(values, net, 0.05f);
  CUDA_TRY(cudaGetLastError());
  expected_exposure<<<dates, threads>>>(net, epe, ene);
  CUDA_TRY(cudaGetLastError());

  std::vector<float> he(dates), hn(dates);
  CUDA_TRY(cudaMemcpy(he.data(), epe, dates * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaMemcpy(hn.data(), ene, dates * sizeof(float), cudaMemcpyDeviceToHost));
  for (int t = 0; t < dates; t += 12) std::printf("date %2d  EPE %.4f  ENE %.4f\n", t, he[t], hn[t]);
  cudaFree(values); cudaFree(net); cudaFree(epe); cudaFree(ene);
  return 0;
}
