/* roofcast
title = "B = A^T through a padded 32 x 32 tile"
source = "Srivastava2025, Table 2: memory-bound"
precision = "fp32"
tolerance = 0
configurations = [{ rows = 512, cols = 512 }, { rows = 1024, cols = 1024 }, { rows = 2048, cols = 2048 }, { rows = 4096, cols = 4096 }]
check = { rows = 45, cols = 70 }
[arrays]
a = "f32[rows * cols] in"
b = "f32[rows * cols] out"
[kernels.shared_transpose]
grid = ["ceil(cols / 32)", "ceil(rows / 32)"]
block = [32, 32]
arguments = "a b rows:i32 cols:i32"
access = "coalesced on both sides; the tile is written by rows and read by columns, without bank conflicts (33 words per row)"
threads = "rows * cols"
bytes_l1 = "8 * rows * cols"
bytes_shared = "8 * rows * cols"
bytes_shared_useful = "8 * rows * cols"
bytes_l2 = "8 * rows * cols"
bytes_dram_read = "4 * rows * cols"
bytes_dram_write = "4 * rows * cols"
*/
extern "C" __global__ void shared_transpose(const float* __restrict__ a, float* __restrict__ b, int rows, int cols) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = a[r * cols + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  if (r < cols && c < rows) b[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
