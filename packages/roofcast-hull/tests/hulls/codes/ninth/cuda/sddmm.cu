// Sampled dense-dense product of graph attention: out[e] = val[e] * <Q[row[e]], K[col[e]]>.
// A warp works on one edge; COO indices. Operations by hand: 64 products, 64 sums, times the value: 129 an edge.
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

constexpr int kDim = 64;
constexpr int kNodes = 65536;
constexpr int kEdges = 1 << 20;
constexpr int kWarpsPerBlock = 8;

static void must(cudaError_t e) {
  if (e != cudaSuccess) {
    std::printf("CUDA error: %s\n", cudaGetErrorString(e));
    std::exit(1);
  }
}

template <int D>
__global__ void sddmm_coo(const int* __restrict__ row, const int* __restrict__ col,
                          const float* __restrict__ val, const float* __restrict__ q,
                          const float* __restrict__ k, float* __restrict__ out, int nnz) {
  const int lane = threadIdx.x & 31;
  const int e = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
  if (e >= nnz) return;
  const float* a = q + size_t(row[e]) * D;
  const float* b = k + size_t(col[e]) * D;
  float dot = 0.f;
#pragma unroll
  for (int d = 0; d < D; d += 32) dot += a[d + lane] * b[d + lane];
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, m);
  if (lane == 0) out[e] = val[e] * dot;
}

int main() {
  std::mt19937 rng(1234);
  std::uniform_int_distribution<int> node(0, kNodes - 1);
  std::uniform_real_distribution<float> real(-1.f, 1.f);
  std::vector<int> r(kEdges), c(kEdges);
  std::vector<float> v(kEdges), feats(size_t(kNodes) * kDim);
  for (int e = 0; e < kEdges; ++e) {
    r[e] = node(rng);
    c[e] = node(rng);
    v[e] = real(rng);
  }
  for (auto& f : feats) f = real(rng);

  int *dr, *dc;
  float *dv, *dq, *dk, *dout;
  must(cudaMalloc(&dr, kEdges * sizeof(int)));
  must(cudaMalloc(&dc, kEdges * sizeof(int)));
  must(cudaMalloc(&dv, kEdges * sizeof(float)));
  must(cudaMalloc(&dout, kEdges * sizeof(float)));
  must(cudaMalloc(&dq, feats.size() * sizeof(float)));
  must(cudaMalloc(&dk, feats.size() * sizeof(float)));
  must(cudaMemcpy(dr, r.data(), kEdges * sizeof(int), cudaMemcpyHostToDevice));
  must(cudaMemcpy(dc, c.data(), kEdges * sizeof(int), cudaMemcpyHostToDevice));
  must(cudaMemcpy(dv, v.data(), kEdges * sizeof(float), cudaMemcpyHostToDevice));
  must(cudaMemcpy(dq, feats.data(), feats.size() * sizeof(float), cudaMemcpyHostToDevice));
  must(cudaMemcpy(dk, feats.data(), feats.size() * sizeof(float), cudaMemcpyHostToDevice));

  const int blocks = (kEdges + kWarpsPerBlock - 1) / kWarpsPerBlock;
  sddmm_coo<kDim><<<blocks, kWarpsPerBlock * 32>>>(dr, dc, dv, dq, dk, dout, kEdges);
  must(cudaGetLastError());
  must(cudaDeviceSynchronize());
  must(cudaMemcpy(v.data(), dout, kEdges * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("out[0] = %f\n", v[0]);
  cudaFree(dr); cudaFree(dc); cudaFree(dv); cudaFree(dq); cudaFree(dk); cudaFree(dout);
  return 0;
}
