/* roofcast
title = "SYRK: C = alpha A A^T + beta C"
source = "VanLanker2024, Table 2 (SYRK)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 512, m = 512 }, { n = 1024, m = 1024 }]
check = { n = 37, m = 29 }
[values]
alpha = 1.5
beta = 0.5
[arrays]
a = "f32[n * m] in"
c = "f32[n * n] inout"
[kernels.syrk_polybench]
grid = ["ceil(n / 32)", "ceil(n / 8)"]
block = [32, 8]
arguments = "a c n:i32 m:i32 alpha:f32 beta:f32"
access = "row i broadcast to the warp; lanes are one row apart in row j: a sector per lane, used for 8 columns from L1"
threads = "n * n"
loops = ["m"]
flops_fp32 = "n * n * (2 * m + 3)"
insts_fp32_mul = "n * n"
insts_fp32_fma = "n * n * (m + 1)"
bytes_l1 = "n * n * (8 * m + 8)"
bytes_l2 = "ceil(n / 32) * ceil(n / 8) * 160 * m + 8 * n * n"
bytes_dram_read = "4 * (n * m + n * n)"
bytes_dram_write = "4 * n * n"
*/
extern "C" __global__ void syrk_polybench(const float* __restrict__ a, float* __restrict__ c, int n, int m, float alpha,
                                          float beta) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < m; k++) sum += a[i * m + k] * a[j * m + k];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
