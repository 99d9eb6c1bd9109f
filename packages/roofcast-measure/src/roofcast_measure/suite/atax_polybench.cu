/* roofcast
title = "ATAX: t = A x, y = A^T t"
source = "VanLanker2024, Table 2 (ATAX)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ nx = 8192, ny = 8192 }, { nx = 32768, ny = 32768 }]
check = { nx = 300, ny = 41 }
[arrays]
a = "f32[nx * ny] in"
x = "f32[ny] in"
t = "f32[nx] out"
y = "f32[ny] out"
[kernels.atax_rows]
grid = ["ceil(nx / 256)"]
block = [256]
arguments = "a x t nx:i32 ny:i32"
access = "a thread walks a row: lanes are one row apart, every sector is fetched once and used from L1 for 8 columns"
threads = "nx"
loops = ["ny"]
flops_fp32 = "2 * nx * ny"
insts_fp32_fma = "nx * ny"
bytes_l1 = "8 * nx * ny + 4 * nx"
bytes_l2 = "4 * nx * ny + 4 * ny * ceil(nx / 256) + 4 * nx"
bytes_dram_read = "4 * nx * ny + 4 * ny"
bytes_dram_write = "4 * nx"
[kernels.atax_columns]
grid = ["ceil(ny / 256)"]
block = [256]
arguments = "a t y nx:i32 ny:i32"
access = "a thread walks a column: lanes are neighbours, coalesced"
threads = "ny"
loops = ["nx"]
flops_fp32 = "2 * nx * ny"
insts_fp32_fma = "nx * ny"
bytes_l1 = "8 * nx * ny + 4 * ny"
bytes_l2 = "4 * nx * ny + 4 * nx * ceil(ny / 256) + 4 * ny"
bytes_dram_read = "4 * nx * ny + 4 * nx"
bytes_dram_write = "4 * ny"
*/
extern "C" __global__ void atax_rows(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ t,
                                     int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  float sum = 0.0f;
  for (int j = 0; j < ny; j++) sum += a[(size_t)i * ny + j] * x[j];
  t[i] = sum;
}

extern "C" __global__ void atax_columns(const float* __restrict__ a, const float* __restrict__ t, float* __restrict__ y,
                                        int nx, int ny) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= ny) return;
  float sum = 0.0f;
  for (int i = 0; i < nx; i++) sum += a[(size_t)i * ny + j] * t[i];
  y[j] = sum;
}
