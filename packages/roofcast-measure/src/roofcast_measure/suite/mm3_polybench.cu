/* roofcast
title = "3MM: E = A B, F = C D, G = E F"
source = "VanLanker2024, Table 2 (3MM)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ ni = 2048, nj = 2048, nk = 2048, nl = 2048, nm = 2048 }, { ni = 4096, nj = 4096, nk = 4096, nl = 4096, nm = 4096 }]
check = { ni = 19, nj = 41, nk = 33, nl = 27, nm = 22 }
[arrays]
a = "f32[ni * nk] in"
b = "f32[nk * nj] in"
c = "f32[nj * nm] in"
d = "f32[nm * nl] in"
e = "f32[ni * nj] out"
f = "f32[nj * nl] out"
g = "f32[ni * nl] out"
[kernels.mm3_first]
grid = ["ceil(nj / 32)", "ceil(ni / 8)"]
block = [32, 8]
arguments = "a b e ni:i32 nj:i32 nk:i32"
access = "left operand broadcast to the warp, the others coalesced; a block reads 8 rows and 32 columns once from L2"
threads = "ni * nj"
loops = ["nk"]
flops_fp32 = "2 * ni * nj * nk"
insts_fp32_fma = "ni * nj * nk"
bytes_l1 = "ni * nj * (8 * nk + 4)"
bytes_l2 = "ceil(nj / 32) * ceil(ni / 8) * 160 * nk + 4 * ni * nj"
bytes_dram_read = "4 * (ni * nk + nk * nj)"
bytes_dram_write = "4 * ni * nj"
[kernels.mm3_second]
grid = ["ceil(nl / 32)", "ceil(nj / 8)"]
block = [32, 8]
arguments = "c d f nj:i32 nl:i32 nm:i32"
access = "left operand broadcast to the warp, the others coalesced; a block reads 8 rows and 32 columns once from L2"
threads = "nj * nl"
loops = ["nm"]
flops_fp32 = "2 * nj * nl * nm"
insts_fp32_fma = "nj * nl * nm"
bytes_l1 = "nj * nl * (8 * nm + 4)"
bytes_l2 = "ceil(nl / 32) * ceil(nj / 8) * 160 * nm + 4 * nj * nl"
bytes_dram_read = "4 * (nj * nm + nm * nl)"
bytes_dram_write = "4 * nj * nl"
[kernels.mm3_third]
grid = ["ceil(nl / 32)", "ceil(ni / 8)"]
block = [32, 8]
arguments = "e f g ni:i32 nl:i32 nj:i32"
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
extern "C" __global__ void mm3_first(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ e, int ni, int nj, int nk) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= ni || j >= nj) return;
  float sum = 0.0f;
  for (int k = 0; k < nk; k++) sum += a[i * nk + k] * b[k * nj + j];
  e[i * nj + j] = sum;
}

extern "C" __global__ void mm3_second(const float* __restrict__ c, const float* __restrict__ d,
                                      float* __restrict__ f, int nj, int nl, int nm) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= nj || j >= nl) return;
  float sum = 0.0f;
  for (int k = 0; k < nm; k++) sum += c[i * nm + k] * d[k * nl + j];
  f[i * nl + j] = sum;
}

extern "C" __global__ void mm3_third(const float* __restrict__ e, const float* __restrict__ f,
                                     float* __restrict__ g, int ni, int nl, int nj) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= ni || j >= nl) return;
  float sum = 0.0f;
  for (int k = 0; k < nj; k++) sum += e[i * nj + k] * f[k * nl + j];
  g[i * nl + j] = sum;
}
