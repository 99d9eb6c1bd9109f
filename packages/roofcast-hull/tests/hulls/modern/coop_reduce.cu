#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void sum_kernel(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ float part[32];
  float acc = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) acc += in[i];
  acc = cg::reduce(tile, acc, cg::plus<float>());
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = acc;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    acc = tile.thread_rank() < tile.meta_group_size() ? part[tile.thread_rank()] : 0.f;
    for (int o = tile.size() / 2; o > 0; o /= 2) acc += tile.shfl_down(acc, o);
    if (tile.thread_rank() == 0) atomicAdd(out, acc);
  }
}
int main() {
  int n = 1 << 26; float *in, *out;
  cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&out, sizeof(float));
  sum_kernel<<<640, 512>>>(in, out, n);
  cudaDeviceSynchronize();
}
