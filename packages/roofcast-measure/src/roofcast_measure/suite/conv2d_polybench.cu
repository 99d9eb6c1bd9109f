/* roofcast
title = "2DCONV: 3 x 3 convolution with fixed coefficients, interior points"
source = "VanLanker2024, Table 2 (2DConv)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ ni = 2048, nj = 2048 }, { ni = 4096, nj = 4096 }]
check = { ni = 21, nj = 40 }
[arrays]
a = "f32[ni * nj] in"
b = "f32[ni * nj] inout"
[kernels.conv2d_polybench]
grid = ["ceil((nj - 2) / 32)", "ceil((ni - 2) / 8)"]
block = [32, 8]
arguments = "a b ni:i32 nj:i32"
access = "rows coalesced; the three rows of a stencil overlap in L1"
threads = "(ni - 2) * (nj - 2)"
flops_fp32 = "17 * (ni - 2) * (nj - 2)"
insts_fp32_mul = "(ni - 2) * (nj - 2)"
insts_fp32_fma = "8 * (ni - 2) * (nj - 2)"
bytes_l1 = "40 * (ni - 2) * (nj - 2)"
bytes_l2 = "4 * 10 * 34 * ceil((nj - 2) / 32) * ceil((ni - 2) / 8) + 4 * (ni - 2) * (nj - 2)"
bytes_dram_read = "4 * ni * nj"
bytes_dram_write = "4 * (ni - 2) * (nj - 2)"
*/
extern "C" __global__ void conv2d_polybench(const float* __restrict__ a, float* __restrict__ b, int ni, int nj) {
  int j = blockIdx.x * 32 + threadIdx.x + 1;
  int i = blockIdx.y * 8 + threadIdx.y + 1;
  if (i >= ni - 1 || j >= nj - 1) return;
  const float* up = a + (i - 1) * nj + j;
  const float* row = a + i * nj + j;
  const float* down = a + (i + 1) * nj + j;
  b[i * nj + j] = 0.2f * up[-1] - 0.3f * up[0] + 0.4f * up[1] + 0.5f * row[-1] + 0.6f * row[0] + 0.7f * row[1] -
                  0.8f * down[-1] - 0.9f * down[0] + 0.1f * down[1];
}
