/* roofcast
title = "GEMM: C = alpha A B + beta C"
source = "VanLanker2024, Table 2 (GEMM)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ ni = 1024, nj = 1024, nk = 1024 }, { ni = 2048, nj = 2048, nk = 2048 }]
check = { ni = 19, nj = 41, nk = 33 }
[values]
alpha = 1.5
beta = 0.5
[arrays]
a = "f32[ni * nk] in"
b = "f32[nk * nj] in"
c = "f32[ni * nj] inout"
[kernels.gemm_polybench]
grid = ["ceil(nj / 32)", "ceil(ni / 8)"]
block = [32, 8]
arguments = "a b c ni:i32 nj:i32 nk:i32 alpha:f32 beta:f32"
access = "A broadcast to the warp, B and C coalesced; a block reads 8 rows of A and 32 columns of B once from L2"
threads = "ni * nj"
loops = ["nk"]
flops_fp32 = "ni * nj * (2 * nk + 3)"
insts_fp32_mul = "ni * nj"
insts_fp32_fma = "ni * nj * (nk + 1)"
bytes_l1 = "ni * nj * (8 * nk + 8)"
bytes_l2 = "ceil(nj / 32) * ceil(ni / 8) * 160 * nk + 8 * ni * nj"
bytes_dram_read = "4 * (ni * nk + nk * nj + ni * nj)"
bytes_dram_write = "4 * ni * nj"
*/
extern "C" __global__ void gemm_polybench(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ c, int ni, int nj, int nk, float alpha, float beta) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= ni || j >= nj) return;
  float sum = 0.0f;
  for (int k = 0; k < nk; k++) sum += a[i * nk + k] * b[k * nj + j];
  c[i * nj + j] = alpha * sum + beta * c[i * nj + j];
}
