/* roofcast
title = "reads of shared memory with a stride between lanes"
source = "Srivastava2025, Table 2: special cases (strides from no conflict to 32-way, and 33, padded, for four times the threads)"
precision = "fp32"
tolerance = 1e-5
configurations = [
  { n = 1048576, stride = 1, iters = 256 }, { n = 1048576, stride = 2, iters = 256 },
  { n = 1048576, stride = 4, iters = 256 }, { n = 1048576, stride = 8, iters = 256 },
  { n = 1048576, stride = 16, iters = 256 }, { n = 1048576, stride = 32, iters = 256 },
  { n = 4194304, stride = 33, iters = 256 },
]
check = { n = 512, stride = 32, iters = 5 }
[arrays]
x = "f32[8448] in"
y = "f32[n] out"
[kernels.shared_bank_conflict]
grid = ["n / 256"]
block = [256]
arguments = "x y stride:i32 iters:i32"
access = "lane l reads word stride x l: gcd(stride, 32) passes per load; the table of 8448 words is loaded coalesced"
threads = "n"
loops = ["33", "iters"]
flops_fp32 = "n * iters"
insts_fp32_add = "n * iters"
bytes_l1 = "(33 * 4 + 4) * n"
bytes_shared = "4 * n * iters * gcd(stride, 32) + 33 * 4 * n"
bytes_shared_useful = "4 * n * iters + 33 * 4 * n"
shared_bank_conflicts = "n / 32 * iters * (gcd(stride, 32) - 1)"
bytes_l2 = "33 * 4 * n + 4 * n"
bytes_dram_read = "4 * 8448"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void shared_bank_conflict(const float* __restrict__ x, float* __restrict__ y, int stride,
                                                int iters) {
  __shared__ float table[8448];
  int t = threadIdx.x;
  for (int k = t; k < 8448; k += 256) table[k] = x[k];
  __syncthreads();
  volatile float* word = &table[t * stride];
  float sum = 0.0f;
  for (int k = 0; k < iters; k++) sum += *word;
  y[blockIdx.x * 256 + t] = sum;
}
