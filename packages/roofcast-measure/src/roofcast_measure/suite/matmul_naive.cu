/* roofcast
title = "C = A B, one thread per element"
source = "Srivastava2025, Table 2: compute-bound"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 256 }, { n = 512 }, { n = 1024 }, { n = 2048 }]
check = { n = 45 }
[arrays]
a = "f32[n * n] in"
b = "f32[n * n] in"
c = "f32[n * n] out"
[kernels.matmul_naive]
grid = ["ceil(n / 16)", "ceil(n / 16)"]
block = [16, 16]
arguments = "a b c n:i32"
access = "A broadcast within half a warp, B and C coalesced; a block's two strips of 16 n elements are read once from L2"
threads = "n * n"
loops = ["n"]
flops_fp32 = "2 * n ** 3"
insts_fp32_fma = "n ** 3"
bytes_l1 = "8 * n ** 3 + 4 * n ** 2"
bytes_l2 = "ceil(n / 16) ** 2 * 128 * n + 4 * n ** 2"
bytes_dram_read = "8 * n ** 2"
bytes_dram_write = "4 * n ** 2"
*/
extern "C" __global__ void matmul_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                        int n) {
  int column = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
