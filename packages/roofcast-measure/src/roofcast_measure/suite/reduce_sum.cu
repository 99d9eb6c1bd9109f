/* roofcast
title = "sum of each block's 256 elements"
source = "Srivastava2025, Table 2: reductions"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
x = "f32[n] in"
partial = "f32[ceil(n / 256)] out"
[kernels.reduce_sum]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "x partial n:i32"
access = "coalesced loads, then a tree over 256 words of shared memory: 8 steps, each with half of the threads"
threads = "256 * ceil(n / 256)"
loops = ["8"]
static = "bound"
flops_fp32 = "255 * ceil(n / 256)"
insts_fp32_add = "255 * ceil(n / 256)"
bytes_l1 = "4 * n + 4 * ceil(n / 256)"
bytes_shared = "(4 * 256 + 12 * (255 - 31) + 128 * 3 * 5) * ceil(n / 256)"
bytes_shared_useful = "(4 * 256 + 12 * 255 + 4) * ceil(n / 256)"
bytes_l2 = "4 * n + 32 * ceil(n / 256)"
bytes_dram_read = "4 * n"
bytes_dram_write = "4 * ceil(n / 256)"
*/
extern "C" __global__ void reduce_sum(const float* __restrict__ x, float* __restrict__ partial, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = part[0];
}
