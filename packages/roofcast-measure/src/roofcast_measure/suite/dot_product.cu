/* roofcast
title = "dot product of each block's 256 pairs"
source = "Srivastava2025, Table 2: reductions"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
x = "f32[n] in"
y = "f32[n] in"
partial = "f32[ceil(n / 256)] out"
[kernels.dot_product]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "x y partial n:i32"
access = "coalesced loads, then a tree over 256 words of shared memory: 8 steps, each with half of the threads"
threads = "256 * ceil(n / 256)"
loops = ["8"]
static = "bound"
flops_fp32 = "n + 255 * ceil(n / 256)"
insts_fp32_mul = "n"
insts_fp32_add = "255 * ceil(n / 256)"
bytes_l1 = "8 * n + 4 * ceil(n / 256)"
bytes_shared = "(4 * 256 + 12 * (255 - 31) + 128 * 3 * 5) * ceil(n / 256)"
bytes_shared_useful = "(4 * 256 + 12 * 255 + 4) * ceil(n / 256)"
bytes_l2 = "8 * n + 32 * ceil(n / 256)"
bytes_dram_read = "8 * n"
bytes_dram_write = "4 * ceil(n / 256)"
*/
extern "C" __global__ void dot_product(const float* __restrict__ x, const float* __restrict__ y,
                                       float* __restrict__ partial, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  part[t] = i < n ? x[i] * y[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = part[0];
}
