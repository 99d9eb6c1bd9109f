/* roofcast
title = "3DCONV: 3 x 3 x 3 convolution with 11 fixed coefficients, interior points"
source = "VanLanker2024, Table 2 (3DConv)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ ni = 512, nj = 512, nk = 128 }, { ni = 1024, nj = 1024, nk = 256 }]
check = { ni = 7, nj = 11, nk = 36 }
[arrays]
a = "f32[ni * nj * nk] in"
b = "f32[ni * nj * nk] inout"
[kernels.conv3d_polybench]
grid = ["ceil((nk - 2) / 32)", "ceil((nj - 2) / 8)", "ni - 2"]
block = [32, 8]
arguments = "a b ni:i32 nj:i32 nk:i32"
access = "k is contiguous and coalesced; a block reads three planes of 10 x 34 points"
threads = "(ni - 2) * (nj - 2) * (nk - 2)"
flops_fp32 = "21 * (ni - 2) * (nj - 2) * (nk - 2)"
insts_fp32_mul = "(ni - 2) * (nj - 2) * (nk - 2)"
insts_fp32_fma = "10 * (ni - 2) * (nj - 2) * (nk - 2)"
bytes_l1 = "48 * (ni - 2) * (nj - 2) * (nk - 2)"
bytes_l2 = "4 * 3 * 10 * 34 * ceil((nk - 2) / 32) * ceil((nj - 2) / 8) * (ni - 2) + 4 * (ni - 2) * (nj - 2) * (nk - 2)"
bytes_dram_read = "4 * ni * nj * nk"
bytes_dram_write = "4 * (ni - 2) * (nj - 2) * (nk - 2)"
*/
extern "C" __global__ void conv3d_polybench(const float* __restrict__ a, float* __restrict__ b, int ni, int nj, int nk) {
  int k = blockIdx.x * 32 + threadIdx.x + 1;
  int j = blockIdx.y * 8 + threadIdx.y + 1;
  int i = blockIdx.z + 1;
  if (j >= nj - 1 || k >= nk - 1) return;
  int plane = nj * nk;
  const float* p = a + i * plane + j * nk + k;
  b[i * plane + j * nk + k] = 2.0f * p[-plane - nk - 1] + 4.0f * p[plane - nk - 1] + 5.0f * p[-plane - nk + 1] +
                              7.0f * p[plane - nk + 1] - 8.0f * p[-plane + 1] - 9.0f * p[plane + nk - 1] +
                              10.0f * p[plane + nk + 1] - 3.0f * p[-nk] + 6.0f * p[0] + 2.5f * p[nk] +
                              1.5f * p[plane + 1];
}
