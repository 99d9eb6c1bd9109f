/* roofcast
title = "y = alpha x + y"
source = "Srivastava2025, Table 2: memory-bound"
precision = "fp32"
tolerance = 1e-6
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[values]
alpha = 0.75
[arrays]
x = "f32[n] in"
y = "f32[n] inout"
[kernels.saxpy]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "x y n:i32 alpha:f32"
access = "coalesced: thread i touches element i of each array"
threads = "n"
flops_fp32 = "2 * n"
insts_fp32_fma = "n"
bytes_l1 = "12 * n"
bytes_l2 = "12 * n"
bytes_dram_read = "8 * n"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = alpha * x[i] + y[i];
}
