/* roofcast
title = "FDTD-2D: electric and magnetic field on a staggered grid"
source = "VanLanker2024, Table 2 (FDT2D)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ nx = 1024, ny = 1024, tmax = 500 }, { nx = 2048, ny = 2048, tmax = 500 }]
check = { nx = 21, ny = 37, tmax = 4 }
steps = "tmax"
[arrays]
source = "f32[tmax] in"
ex = "f32[nx * (ny + 1)] inout"
ey = "f32[(nx + 1) * ny] inout"
hz = "f32[nx * ny] inout"
[kernels.fdtd2d_ey]
grid = ["ceil(ny / 32)", "ceil(nx / 8)"]
block = [32, 8]
arguments = "source ey hz nx:i32 ny:i32 step:i32"
access = "coalesced rows; the row above is shared between neighbours in L1"
threads = "nx * ny"
static = "bound"
flops_fp32 = "3 * (nx - 1) * ny"
insts_fp32_add = "(nx - 1) * ny"
insts_fp32_fma = "(nx - 1) * ny"
bytes_l1 = "16 * (nx - 1) * ny + 8 * ny"
bytes_l2 = "(12 + 4 / 8) * nx * ny"
bytes_dram_read = "8 * nx * ny"
bytes_dram_write = "4 * nx * ny"
[kernels.fdtd2d_ex]
grid = ["ceil(ny / 32)", "ceil(nx / 8)"]
block = [32, 8]
arguments = "ex hz nx:i32 ny:i32"
access = "coalesced rows; the left neighbour comes from L1"
threads = "nx * (ny - 1)"
flops_fp32 = "3 * nx * (ny - 1)"
insts_fp32_add = "nx * (ny - 1)"
insts_fp32_fma = "nx * (ny - 1)"
bytes_l1 = "16 * nx * (ny - 1)"
bytes_l2 = "(12 + 32 / 32) * nx * ny"
bytes_dram_read = "8 * nx * ny"
bytes_dram_write = "4 * nx * ny"
[kernels.fdtd2d_hz]
grid = ["ceil(ny / 32)", "ceil(nx / 8)"]
block = [32, 8]
arguments = "ex ey hz nx:i32 ny:i32"
access = "coalesced rows; right and lower neighbours from L1"
threads = "nx * ny"
flops_fp32 = "5 * nx * ny"
insts_fp32_add = "3 * nx * ny"
insts_fp32_fma = "nx * ny"
bytes_l1 = "24 * nx * ny"
bytes_l2 = "(16 + 4 / 8 + 32 / 32) * nx * ny"
bytes_dram_read = "12 * nx * ny"
bytes_dram_write = "4 * nx * ny"
*/
extern "C" __global__ void fdtd2d_ey(const float* __restrict__ source, float* __restrict__ ey,
                                     const float* __restrict__ hz, int nx, int ny, int step) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= nx || j >= ny) return;
  if (i == 0) {
    ey[j] = source[step];
  } else {
    ey[i * ny + j] = ey[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
  }
}

extern "C" __global__ void fdtd2d_ex(float* __restrict__ ex, const float* __restrict__ hz, int nx, int ny) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= nx || j >= ny || j == 0) return;
  ex[i * (ny + 1) + j] = ex[i * (ny + 1) + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

extern "C" __global__ void fdtd2d_hz(const float* __restrict__ ex, const float* __restrict__ ey, float* __restrict__ hz,
                                     int nx, int ny) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= nx || j >= ny) return;
  hz[i * ny + j] = hz[i * ny + j] - 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] -
                                            ey[i * ny + j]);
}
