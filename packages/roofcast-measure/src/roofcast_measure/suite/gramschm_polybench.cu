/* roofcast
title = "GRAMSCHM: modified Gram-Schmidt, A = Q R; column by column"
source = "VanLanker2024, Table 2 (GRAMMSC); a quarter of its N and M as the smaller size"
precision = "fp32"
tolerance = 2e-4
configurations = [{ n = 2048, m = 8192 }, { n = 8192, m = 32768 }, { n = 32768, m = 131072 }]
check = { n = 11, m = 300 }
steps = "n"
timed_step = "n // 2"
[arrays]
a = "f32[m * n] inout"
q = "f32[m * n] out"
r = "f32[n * n] inout"
[kernels.gramschm_norm]
grid = ["1"]
block = [256]
arguments = "a r m:i32 n:i32 step:i32"
access = "one thread of one block walks a column: a sector per element"
threads = "1"
loops = ["m"]
flops_fp32 = "2 * m + SQRT32"
insts_fp32_mul = "2"
insts_fp32_fma = "m + 2"
bytes_l1 = "4 * m + 4"
bytes_l2 = "32 * m + 32"
bytes_dram_read = "32 * m"
bytes_dram_write = "4"
[kernels.gramschm_column]
grid = ["ceil(m / 256)"]
block = [256]
arguments = "a r q m:i32 n:i32 step:i32"
access = "a column: lanes are one row apart, a sector per element on both sides; the norm is broadcast"
threads = "m"
flops_fp32 = "m * DIV32"
insts_fp32_fma = "5 * m"
bytes_l1 = "12 * m"
bytes_l2 = "64 * m + 32 * ceil(m / 256)"
bytes_dram_read = "32 * m"
bytes_dram_write = "32 * m"
[kernels.gramschm_update]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a q r m:i32 n:i32 step:i32"
access = "a thread per later column, lanes are neighbours: coalesced; column k of Q is broadcast; fewer threads each step"
threads = "n - 1 - step"
loops = ["m", "m"]
flops_fp32 = "4 * m * (n - 1 - step)"
insts_fp32_fma = "2 * m * (n - 1 - step)"
bytes_l1 = "(20 * m + 4) * (n - 1 - step)"
bytes_l2 = "(12 * m + 4) * (n - 1 - step) + 2 * 32 * m * ceil((n - 1 - step) / 256)"
bytes_dram_read = "8 * m * (n - 1 - step) + 32 * m"
bytes_dram_write = "4 * m * (n - 1 - step)"
*/
extern "C" __global__ void gramschm_norm(const float* __restrict__ a, float* __restrict__ r, int m, int n, int step) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int i = 0; i < m; i++) {
    float x = a[(size_t)i * n + step];
    sum += x * x;
  }
  r[(size_t)step * n + step] = sqrtf(sum);
}

extern "C" __global__ void gramschm_column(const float* __restrict__ a, const float* __restrict__ r,
                                           float* __restrict__ q, int m, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  q[(size_t)i * n + step] = a[(size_t)i * n + step] / r[(size_t)step * n + step];
}

extern "C" __global__ void gramschm_update(float* __restrict__ a, const float* __restrict__ q, float* __restrict__ r,
                                           int m, int n, int step) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j <= step || j >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < m; i++) sum += q[(size_t)i * n + step] * a[(size_t)i * n + j];
  r[(size_t)step * n + j] = sum;
  for (int i = 0; i < m; i++) a[(size_t)i * n + j] = a[(size_t)i * n + j] - q[(size_t)i * n + step] * sum;
}
