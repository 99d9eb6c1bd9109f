/* roofcast
title = "b[i] = a[index[i]]"
source = "Srivastava2025, Table 2: memory-bound"
precision = "fp32"
tolerance = 0
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
index = "i32[n] below n"
a = "f32[n] in"
b = "f32[n] out"
[kernels.random_access]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "index a b n:i32"
access = "gather at uniformly random places: one 32-byte sector per element; indices and results coalesced"
threads = "n"
bytes_l1 = "12 * n"
bytes_l2 = "40 * n"
bytes_dram_read = "4 * n + 4 * n * (1 - exp(-8))"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void random_access(const int* __restrict__ index, const float* __restrict__ a,
                                         float* __restrict__ b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  b[i] = a[index[i]];
}
