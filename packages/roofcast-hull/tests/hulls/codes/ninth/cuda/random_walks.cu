// Personalised PageRank by Monte Carlo: every walker starts at a source node and walks a CSR graph until it stops
// with probability alpha or at a dangling node; end points are counted, then turned into scores.
// The walks have no class (their number of steps and their places follow from data and chance); the scores have.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#include <cuda_runtime.h>

constexpr int kNodes = 1 << 20;
constexpr int kDegree = 12;
constexpr int kWalks = 1 << 20;

#define CHECK_CUDA(x)                                                              \
  do {                                                                             \
    const cudaError_t s_ = (x);                                                    \
    if (s_ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "CUDA error '%s' at %s:%d\n", cudaGetErrorString(s_),   \
                   __FILE__, __LINE__);                                            \
      std::exit(EXIT_FAILURE);                                                     \
    }                                                                              \
  } while (0)

struct Pcg {
  uint64_t state;
  __device__ explicit Pcg(uint64_t seed) : state(seed * 6364136223846793005ull + 1442695040888963407ull) {}
  __device__ uint32_t operator()() {
    uint64_t old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = uint32_t(((old >> 18) ^ old) >> 27);
    uint32_t r = uint32_t(old >> 59);
    return (x >> r) | (x << ((32 - r) & 31));
  }
  __device__ float uniform() { return float((*this)() >> 8) * (1.0f / 16777216.0f); }
};

__global__ void walk(const int* __restrict__ row_ptr, const int* __restrict__ col, unsigned* visits,
                     int source, float alpha, uint64_t seed, int walks) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= walks) return;
  Pcg rng(seed + id);
  int node = source;
  while (rng.uniform() >= alpha) {
    const int begin = row_ptr[node], end = row_ptr[node + 1];
    if (begin == end) break;
    node = col[begin + rng() % (end - begin)];
  }
  atomicAdd(&visits[node], 1u);
}

__global__ void to_scores(const unsigned* __restrict__ visits, float* __restrict__ score, float inv_walks, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) score[id] = visits[id] * inv_walks;
}

int main() {
  std::mt19937 gen(5);
  std::vector<int> row_ptr(kNodes + 1, 0);
  for (int v = 0; v < kNodes; ++v) row_ptr[v + 1] = row_ptr[v] + int(gen() % (2 * kDegree));
  std::vector<int> col(row_ptr.back());
  for (auto& c : col) c = int(gen() % kNodes);

  int *d_row, *d_col;
  unsigned* d_visits;
  float* d_score;
  CHECK_CUDA(cudaMalloc(&d_row, row_ptr.size() * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_col, col.size() * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_visits, kNodes * sizeof(unsigned)));
  CHECK_CUDA(cudaMalloc(&d_score, kNodes * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_row, row_ptr.data(), row_ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(d_visits, 0, kNodes * sizeof(unsigned)));

  walk<<<(kWalks + 255) / 256, 256>>>(d_row, d_col, d_visits, 1, 0.15f, 99, kWalks);
  CHECK_CUDA(cudaGetLastError());
  to_scores<<<(kNodes + 255) / 256, 256>>>(d_visits, d_score, 1.0f / kWalks, kNodes);
  CHECK_CUDA(cudaGetLastError());

  std::vector<float> score(kNodes);
  CHECK_CUDA(cudaMemcpy(score.data(), d_score, kNodes * sizeof(float), cudaMemcpyDeviceToHost));
  double total = 0;
  for (float s : score) total += s;
  std::printf("scores sum to %f, source has %f\n", total, score[1]);
  cudaFree(d_row); cudaFree(d_col); cudaFree(d_visits); cudaFree(d_score);
  return 0;
}
