/* roofcast
title = "b[8 i] = a[8 i]"
source = "Srivastava2025, Table 2: memory-bound (a thread for each element, of which one in eight copies, as its grids say)"
precision = "fp32"
tolerance = 0
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 8104 }
[arrays]
a = "f32[n] in"
b = "f32[n] inout"
[kernels.strided_copy_8]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "a b n:i32"
access = "stride of 8 elements: each access moves a whole 32-byte sector for 4 useful bytes; 7 of 8 threads return at once"
threads = "n / 8"
bytes_l1 = "n"
bytes_l2 = "8 * n"
bytes_dram_read = "4 * n"
bytes_dram_write = "4 * n"
*/
extern "C" __global__ void strided_copy_8(const float* __restrict__ a, float* __restrict__ b, int n) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  b[i] = a[i];
}
