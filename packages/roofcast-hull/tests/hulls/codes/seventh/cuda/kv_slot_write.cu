// Paged KV cache: write the new tokens' keys and values to the slots that the scheduler gave them.
// Where each token goes is read from slot_mapping: a scatter that data decide (also -1 = padding, skipped).
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

constexpr int NUM_TOKENS = 256;
constexpr int NUM_HEADS = 8;
constexpr int HEAD_SIZE = 128;
constexpr int BLOCK_SIZE = 16;
constexpr int NUM_BLOCKS = 512;

template <typename scalar_t>
__global__ void write_kv_slots(const scalar_t *__restrict__ key, const scalar_t *__restrict__ value,
                               scalar_t *__restrict__ key_cache, scalar_t *__restrict__ value_cache,
                               const int64_t *__restrict__ slot_mapping, const int num_heads,
                               const int head_size, const int block_size)
{
  const int64_t token = blockIdx.x;
  const int64_t slot = slot_mapping[token];
  if (slot < 0) return;
  const int64_t block = slot / block_size;
  const int64_t offset = slot % block_size;
  const int n = num_heads * head_size;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int64_t dst = (block * block_size + offset) * n + i;
    key_cache[dst] = key[token * n + i];
    value_cache[dst] = value[token * n + i];
  }
}

int main()
{
  const size_t row = size_t(NUM_HEADS) * HEAD_SIZE;
  __half *k, *v, *kc, *vc;
  int64_t *slots;
  cudaMalloc(&k, NUM_TOKENS * row * sizeof(__half));
  cudaMalloc(&v, NUM_TOKENS * row * sizeof(__half));
  cudaMalloc(&kc, size_t(NUM_BLOCKS) * BLOCK_SIZE * row * sizeof(__half));
  cudaMalloc(&vc, size_t(NUM_BLOCKS) * BLOCK_SIZE * row * sizeof(__half));
  cudaMalloc(&slots, NUM_TOKENS * sizeof(int64_t));
  cudaMemset(k, 0, NUM_TOKENS * row * sizeof(__half));
  cudaMemset(v, 0, NUM_TOKENS * row * sizeof(__half));

  std::vector<int64_t> h(NUM_TOKENS);
  for (int i = 0; i < NUM_TOKENS; ++i) h[i] = (i % 31 == 30) ? -1 : (int64_t(i) * 37) % (NUM_BLOCKS * BLOCK_SIZE);
  cudaMemcpy(slots, h.data(), NUM_TOKENS * sizeof(int64_t), cudaMemcpyHostToDevice);

  write_kv_slots<__half><<<NUM_TOKENS, 512>>>(k, v, kc, vc, slots, NUM_HEADS, HEAD_SIZE, BLOCK_SIZE);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
