/* roofcast
title = "c = a + b in even lanes, a - b in odd lanes"
source = "Srivastava2025, Table 2: special cases"
precision = "fp32"
tolerance = 1e-6
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
a = "f32[n] in"
b = "f32[n] in"
c = "f32[n] out"
[kernels.vector_add_divergent]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a b c n:i32"
access = "coalesced as a whole; every warp takes both sides of the branch"
threads = "n"
static = "bound"
flops_fp32 = "n"
insts_fp32_add = "n"
bytes_l1 = "12 * n"
bytes_l2 = "12 * n"
bytes_dram_read = "8 * n"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void vector_add_divergent(const float* __restrict__ a, const float* __restrict__ b,
                                                float* __restrict__ c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0) {
    c[i] = a[i] + b[i];
  } else {
    c[i] = a[i] - b[i];
  }
}
