#include <cstdio>
#include <cfloat>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))
inline void cuda_check(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) { printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error)); exit(EXIT_FAILURE); }
}
template <class T> T ceil_div(T dividend, T divisor) { return (dividend + divisor - 1) / divisor; }
__global__ void softmax_forward_kernel(float* out, const float* inp, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) { return; }
  const float* x = inp + idx * C;
  float maxval = -INFINITY, sumval = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    maxval = fmaxf(maxval, x[i]);
  }
  maxval = cg::reduce(warp, maxval, cg::greater<float>{});
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    sumval += expf(x[i] - maxval);
  }
  sumval = cg::reduce(warp, sumval, cg::plus<float>{});
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    __stcs(out + idx * C + i, expf(__ldcs(&x[i]) - maxval) / sumval);
  }
}
void softmax_forward(float* out, const float* inp, int N, int C, int block_size) {
  int grid_size = ceil_div(N * 32, block_size);
  softmax_forward_kernel<<<grid_size, block_size>>>(out, inp, N, C);
  cudaCheck(cudaGetLastError());
}
int main(int argc, char **argv) {
  int B = 8, T = 512, V = 2048;
  float* d_out; float* d_inp;
  cudaCheck(cudaMalloc(&d_out, B * T * V * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, B * T * V * sizeof(float)));
  int block_sizes[] = {128};
  softmax_forward(d_out, d_inp, B * T, V, 128);
  cudaCheck(cudaFree(d_out)); cudaCheck(cudaFree(d_inp));
  return 0;
}
