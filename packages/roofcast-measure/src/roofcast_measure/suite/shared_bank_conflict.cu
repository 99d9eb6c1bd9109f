/* roofcast
title = "a tile of 32 x 32 words, read with a stride between lanes"
source = "Srivastava2025, Table 2: special cases (one block of 1024 threads, 4 KiB, read by columns; the six others are ours)"
precision = "fp32"
tolerance = 1e-5
configurations = [
  { blocks = 1, stride = 32, iters = 1 }, { blocks = 1024, stride = 1, iters = 256 },
  { blocks = 1024, stride = 2, iters = 256 }, { blocks = 1024, stride = 4, iters = 256 },
  { blocks = 1024, stride = 8, iters = 256 }, { blocks = 1024, stride = 16, iters = 256 },
  { blocks = 1024, stride = 32, iters = 256 },
]
check = { blocks = 2, stride = 32, iters = 5 }
[arrays]
x = "f32[1024] in"
y = "f32[1024 * blocks] out"
[kernels.shared_bank_conflict]
grid = ["blocks"]
block = [1024]
arguments = "x y stride:i32 iters:i32"
access = "lane l of warp w reads word stride x l + w: gcd(stride, 32) passes per load; the tile is loaded coalesced"
threads = "1024 * blocks"
loops = ["iters"]
flops_fp32 = "1024 * blocks * iters"
insts_fp32_add = "1024 * blocks * iters"
bytes_l1 = "8 * 1024 * blocks"
bytes_shared = "4 * 1024 * blocks * (iters * gcd(stride, 32) + 1)"
bytes_shared_useful = "4 * 1024 * blocks * (iters + 1)"
shared_bank_conflicts = "32 * blocks * iters * (gcd(stride, 32) - 1)"
bytes_l2 = "8 * 1024 * blocks"
bytes_dram_read = "4 * 1024"
bytes_dram_write = "4 * 1024 * blocks"
*/
extern "C" __global__ void shared_bank_conflict(const float* __restrict__ x, float* __restrict__ y, int stride,
                                                int iters) {
  __shared__ float tile[1024];
  int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  volatile float* word = &tile[(t % 32 * stride + t / 32) % 1024];
  float sum = 0.0f;
  for (int k = 0; k < iters; k++) sum += *word;
  y[blockIdx.x * 1024 + t] = sum;
}
