/* roofcast
title = "256 bins, counted with atomics in device memory"
source = "Srivastava2025, Table 2: atomic operations"
precision = "int32"
tolerance = 0
configurations = [{ n = 262144 }, { n = 1048576 }, { n = 4194304 }, { n = 16777216 }]
check = { n = 1013 }
[arrays]
x = "i32[n] below 256"
bins = "i32[256] inout"
[kernels.histogram]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "x bins n:i32"
access = "coalesced loads; one atomic per element to one of 256 words (8 lines)"
threads = "n"
bytes_l1 = "8 * n"
bytes_l2 = "4 * n + 32 * n"
atomics_l2 = "n"
bytes_dram_read = "4 * n + 1024"
bytes_dram_write = "1024"
*/
extern "C" __global__ void histogram(const int* __restrict__ x, int* __restrict__ bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[x[i]], 1);
}
