/*
 * Merge two partial attention results (prefix and suffix of the KV cache) by
 * their base-2 log-sum-exps; one block a token, one row of threads a head.
 *
 * Operations are those that the threads execute: 8 for the two scales in each
 * thread, 3 for each of its 4 elements, 2 more once a head for the new lse.
 */
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <uint32_t VEC, typename T>
__global__ void MergeStatesKernel(const T* __restrict__ v_a, const float* __restrict__ s_a,
                                  const T* __restrict__ v_b, const float* __restrict__ s_b,
                                  T* __restrict__ v_merged, float* __restrict__ s_merged,
                                  uint32_t num_heads, uint32_t head_dim) {
  const uint32_t tx = threadIdx.x;
  const uint32_t head = threadIdx.y;
  const uint32_t pos = blockIdx.x;

  float la = s_a[pos * num_heads + head];
  float lb = s_b[pos * num_heads + head];
  const float top = fmaxf(la, lb);
  la = exp2f(la - top);
  lb = exp2f(lb - top);
  const float total = la + lb;
  const float wa = la / total;
  const float wb = lb / total;

  const uint32_t base = (pos * num_heads + head) * head_dim + tx * VEC;
#pragma unroll
  for (uint32_t i = 0; i < VEC; ++i) {
    v_merged[base + i] = (T)(wa * (float)v_a[base + i] + wb * (float)v_b[base + i]);
  }
  if (tx == 0) s_merged[pos * num_heads + head] = log2f(total) + top;
}

template <typename T>
cudaError_t MergeStates(const T* v_a, const float* s_a, const T* v_b, const float* s_b, T* v, float* s,
                        uint32_t seq_len, uint32_t num_heads, cudaStream_t stream = 0) {
  constexpr uint32_t HEAD_DIM = 128;
  constexpr uint32_t VEC = 4;
  dim3 nthrs(HEAD_DIM / VEC, num_heads);
  MergeStatesKernel<VEC, T><<<seq_len, nthrs, 0, stream>>>(v_a, s_a, v_b, s_b, v, s, num_heads, HEAD_DIM);
  return cudaGetLastError();
}

int main() {
  const uint32_t seq_len = 777, heads = 32, dim = 128;
  const size_t nv = (size_t)seq_len * heads * dim, ns = (size_t)seq_len * heads;
  __half *va, *vb, *vm;
  float *sa, *sb, *sm;
  cudaMalloc(&va, nv * sizeof(__half));
  cudaMalloc(&vb, nv * sizeof(__half));
  cudaMalloc(&vm, nv * sizeof(__half));
  cudaMalloc(&sa, ns * sizeof(float));
  cudaMalloc(&sb, ns * sizeof(float));
  cudaMalloc(&sm, ns * sizeof(float));
  cudaMemset(va, 0, nv * sizeof(__half));
  cudaMemset(vb, 0, nv * sizeof(__half));
  cudaMemset(sa, 0, ns * sizeof(float));
  cudaMemset(sb, 0, ns * sizeof(float));
  cudaError_t e = MergeStates<__half>(va, sa, vb, sb, vm, sm, seq_len, heads);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  float lse = -1.f;
  cudaMemcpy(&lse, sm, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s, lse[0] = %f (expect 1)\n", cudaGetErrorString(e), lse);
  return e != cudaSuccess;
}
