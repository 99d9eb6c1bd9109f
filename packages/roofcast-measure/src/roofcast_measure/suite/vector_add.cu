/* roofcast
title = "c = a + b"
source = "Srivastava2025, Table 2: memory-bound"
precision = "fp32"
tolerance = 1e-6
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
a = "f32[n] in"
b = "f32[n] in"
c = "f32[n] out"
[kernels.vector_add]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a b c n:i32"
access = "coalesced: thread i touches element i of each array"
threads = "n"
flops_fp32 = "n"
insts_fp32_add = "n"
bytes_l1 = "12 * n"
bytes_l2 = "12 * n"
bytes_dram_read = "8 * n"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
}
