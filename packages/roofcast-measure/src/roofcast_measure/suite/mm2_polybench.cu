/* roofcast
title = "2MM: T = A B, D = T C"
source = "VanLanker2024, Table 2 (2MM)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ ni = 1024, nj = 1024, nk = 1024, nl = 1024 }, { ni = 2048, nj = 2048, nk = 2048, nl = 2048 }]
check = { ni = 19, nj = 41, nk = 33, nl = 27 }
[arrays]
a = "f32[ni * nk] in"
b = "f32[nk * nj] in"
c = "f32[nj * nl] in"
t = "f32[ni * nj] out"
d = "f32[ni * nl] out"
[kernels.mm2_first]
grid = ["ceil(nj / 32)", "ceil(ni / 8)"]
block = [32, 8]
arguments = "a b t ni:i32 nj:i32 nk:i32"
access = "left operand broadcast to the warp, the others coalesced; a block reads 8 rows and 32 columns once from L2"
threads = "ni * nj"
loops = ["nk"]
flops_fp32 = "2 * ni * nj * nk"
insts_fp32_fma = "ni * nj * nk"
bytes_l1 = "ni * nj * (8 * nk + 4)"
bytes_l2 = "ceil(nj / 32) * ceil(ni / 8) * 160 * nk + 4 * ni * nj"
bytes_dram_read = "4 * (ni * nk + nk * nj)"
bytes_dram_write = "4 * ni * nj"
[kernels.mm2_second]
grid = ["ceil(nl / 32)", "ceil(ni / 8)"]
block = [32, 8]
arguments = "t c d ni:i32 nl:i32 nj:i32"
access = "left operand broadcast to the warp, the others coalesced; a block reads 8 rows and 32 columns once from L2"
threads = "ni * nl"
loops = ["nj"]
flops_fp32 = "2 * ni * nl * nj"
insts_fp32_fma = "ni * nl * nj"
bytes_l1 = "ni * nl * (8 * nj + 4)"
bytes_l2 = "ceil(nl / 32) * ceil(ni / 8) * 160 * nj + 4 * ni * nl"
bytes_dram_read = "4 * (ni * nj + nj * nl)"
bytes_dram_write = "4 * ni * nl"
*/
extern "C" __global__ void mm2_first(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ t, int ni, int nj, int nk) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= ni || j >= nj) return;
  float sum = 0.0f;
  for (int k = 0; k < nk; k++) sum += a[i * nk + k] * b[k * nj + j];
  t[i * nj + j] = sum;
}

extern "C" __global__ void mm2_second(const float* __restrict__ t, const float* __restrict__ c,
                                      float* __restrict__ d, int ni, int nl, int nj) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= ni || j >= nl) return;
  float sum = 0.0f;
  for (int k = 0; k < nj; k++) sum += t[i * nj + k] * c[k * nl + j];
  d[i * nl + j] = sum;
}
