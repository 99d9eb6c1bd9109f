/* roofcast
title = "7 x 7 convolution; the border repeats the edge"
source = "Srivastava2025, Table 2: compute-bound"
precision = "fp32"
tolerance = 1e-5
configurations = [{ rows = 512, cols = 512 }, { rows = 1024, cols = 1024 }, { rows = 2048, cols = 2048 }, { rows = 4096, cols = 4096 }]
check = { rows = 37, cols = 50 }
[arrays]
image = "f32[rows * cols] in"
weights = "f32[49] in"
result = "f32[rows * cols] out"
[kernels.conv2d_7x7]
grid = ["ceil(cols / 16)", "ceil(rows / 16)"]
block = [16, 16]
arguments = "image weights result rows:i32 cols:i32"
access = "neighbours overlap in L1: a block reads its 16 x 16 tile and a border of 3; the weights are broadcast"
threads = "rows * cols"
flops_fp32 = "98 * rows * cols"
insts_fp32_fma = "49 * rows * cols"
bytes_l1 = "396 * rows * cols"
bytes_l2 = "ceil(rows / 16) * ceil(cols / 16) * 4 * 484 + 4 * rows * cols"
bytes_dram_read = "4 * rows * cols"
bytes_dram_write = "4 * rows * cols"
*/
extern "C" __global__ void conv2d_7x7(const float* __restrict__ image, const float* __restrict__ weights,
                                      float* __restrict__ result, int rows, int cols) {
  int c = blockIdx.x * 16 + threadIdx.x;
  int r = blockIdx.y * 16 + threadIdx.y;
  if (r >= rows || c >= cols) return;
  float sum = 0.0f;
#pragma unroll
  for (int i = -3; i <= 3; i++) {
#pragma unroll
    for (int j = -3; j <= 3; j++) {
      int y = min(max(r + i, 0), rows - 1);
      int x = min(max(c + j, 0), cols - 1);
      sum += image[y * cols + x] * weights[(i + 3) * 7 + j + 3];
    }
  }
  result[r * cols + c] = sum;
}
