/* roofcast
title = "MVT: x1 += A y1, x2 += A^T y2"
source = "VanLanker2024, Table 2 (MVT)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 8192 }, { n = 32768 }]
check = { n = 301 }
[arrays]
a = "f32[n * n] in"
y1 = "f32[n] in"
y2 = "f32[n] in"
x1 = "f32[n] inout"
x2 = "f32[n] inout"
[kernels.mvt_rows]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a y1 x1 n:i32"
access = "a thread walks a row: lanes are one row apart, every sector is fetched once and used from L1 for 8 columns"
threads = "n"
loops = ["n"]
flops_fp32 = "2 * n * n"
insts_fp32_fma = "n * n"
bytes_l1 = "8 * n * n + 8 * n"
bytes_l2 = "4 * n * n + 4 * n * ceil(n / 256) + 8 * n"
bytes_dram_read = "4 * n * n + 8 * n"
bytes_dram_write = "4 * n"
[kernels.mvt_columns]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a y2 x2 n:i32"
access = "a thread walks a column: lanes are neighbours, coalesced"
threads = "n"
loops = ["n"]
flops_fp32 = "2 * n * n"
insts_fp32_fma = "n * n"
bytes_l1 = "8 * n * n + 8 * n"
bytes_l2 = "4 * n * n + 4 * n * ceil(n / 256) + 8 * n"
bytes_dram_read = "4 * n * n + 8 * n"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void mvt_rows(const float* __restrict__ a, const float* __restrict__ y1, float* __restrict__ x1,
                                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x1[i];
  for (int j = 0; j < n; j++) sum += a[(size_t)i * n + j] * y1[j];
  x1[i] = sum;
}

extern "C" __global__ void mvt_columns(const float* __restrict__ a, const float* __restrict__ y2,
                                       float* __restrict__ x2, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float sum = x2[j];
  for (int i = 0; i < n; i++) sum += a[(size_t)i * n + j] * y2[i];
  x2[j] = sum;
}
