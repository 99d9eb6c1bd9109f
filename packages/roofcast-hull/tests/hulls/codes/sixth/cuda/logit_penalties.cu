// Logit processors of a small LLM server: frequency / presence penalties with
// temperature, then the min-p cut. GPT-2 vocabulary, a dozen sequences.
// Derived by hand: 5 operations a logit for the penalties, 3 for min-p (log, add, compare).
// Compiled with nvcc 13 -c (see toml).
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t err_ = (call);                                                   \
    if (err_ != cudaSuccess) {                                                   \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

constexpr int kVocab = 50257;
constexpr int kSeqs = 12;
constexpr int kThreads = 256;

__global__ void apply_penalties(float* __restrict__ logits,           // [seqs, vocab]
                                const int* __restrict__ out_counts,   // [seqs, vocab]
                                const float* __restrict__ frequency,  // [seqs]
                                const float* __restrict__ presence,   // [seqs]
                                const float* __restrict__ temperature,
                                int vocab) {
  const int seq = blockIdx.y;
  const int tok = blockIdx.x * blockDim.x + threadIdx.x;
  if (tok >= vocab) return;
  const size_t at = (size_t)seq * vocab + tok;
  float l = logits[at];
  const int seen = out_counts[at];
  l -= frequency[seq] * seen;
  l -= seen > 0 ? presence[seq] : 0.0f;
  logits[at] = l / temperature[seq];
}

// Keep a token when p >= min_p * p_max, i.e. logit >= max_logit + log(min_p).
__global__ void min_p_mask(float* logits, const float* row_max, const float* min_p, int vocab) {
  const int seq = blockIdx.y;
  for (int tok = blockIdx.x * blockDim.x + threadIdx.x; tok < vocab; tok += gridDim.x * blockDim.x) {
    const float cut = row_max[seq] + logf(min_p[seq]);
    const float l = logits[(size_t)seq * vocab + tok];
    logits[(size_t)seq * vocab + tok] = l < cut ? -INFINITY : l;
  }
}

int main() {
  const size_t n = (size_t)kSeqs * kVocab;
  std::vector<float> h(n), ones(kSeqs, 1.0f), maxima(kSeqs, 4.0f), fr(kSeqs, 0.3f), mp(kSeqs, 0.05f);
  std::vector<int> counts(n, 0);
  for (size_t i = 0; i < n; ++i) {
    h[i] = (float)((i * 7919) % 1000) / 250.0f;
    counts[i] = i % 911 == 0 ? 2 : 0;
  }
  float *logits, *freq, *pres, *temp, *rmax, *minp;
  int* cnt;
  CHECK(cudaMalloc(&logits, n * sizeof(float)));
  CHECK(cudaMalloc(&cnt, n * sizeof(int)));
  for (float** p : {&freq, &pres, &temp, &rmax, &minp}) CHECK(cudaMalloc(p, kSeqs * sizeof(float)));
  CHECK(cudaMemcpy(logits, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(cnt, counts.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(freq, fr.data(), kSeqs * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(pres, fr.data(), kSeqs * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(temp, ones.data(), kSeqs * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(rmax, maxima.data(), kSeqs * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(minp, mp.data(), kSeqs * sizeof(float), cudaMemcpyHostToDevice));

  dim3 grid((kVocab + kThreads - 1) / kThreads, kSeqs);
  apply_penalties<<<grid, kThreads>>>(logits, cnt, freq, pres, temp, kVocab);
  CHECK(cudaGetLastError());
  min_p_mask<<<dim3(64, kSeqs), kThreads>>>(logits, rmax, minp, kVocab);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h.data(), logits, n * sizeof(float), cudaMemcpyDeviceToHost));
  size_t kept = 0;
  for (float v : h) kept += v > -1e30f;
  printf("kept %zu of %zu\n", kept, n);
  return 0;
}
