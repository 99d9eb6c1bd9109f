/* roofcast
title = "B = A^T without shared memory"
source = "Srivastava2025, Table 2: memory-bound"
precision = "fp32"
tolerance = 0
configurations = [{ rows = 512, cols = 512 }, { rows = 1024, cols = 1024 }, { rows = 2048, cols = 2048 }, { rows = 4096, cols = 4096 }]
check = { rows = 45, cols = 70 }
[arrays]
a = "f32[rows * cols] in"
b = "f32[rows * cols] out"
[kernels.naive_transpose]
grid = ["ceil(cols / 16)", "ceil(rows / 16)"]
block = [16, 16]
arguments = "a b rows:i32 cols:i32"
access = "rows read coalesced (64 B per half warp); columns written with a stride of one row, two 4-byte stores per sector and warp"
threads = "rows * cols"
bytes_l1 = "8 * rows * cols"
bytes_l2 = "20 * rows * cols"
bytes_dram_read = "4 * rows * cols"
bytes_dram_write = "4 * rows * cols"
*/
extern "C" __global__ void naive_transpose(const float* __restrict__ a, float* __restrict__ b, int rows, int cols) {
  int c = blockIdx.x * 16 + threadIdx.x;
  int r = blockIdx.y * 16 + threadIdx.y;
  if (r >= rows || c >= cols) return;
  b[c * rows + r] = a[r * cols + c];
}
