/* roofcast
title = "every thread adds to the same word"
source = "Srivastava2025, Table 2: atomic operations (50 and 100 additions per thread)"
precision = "int32"
tolerance = 0
configurations = [
  { n = 262144, iters = 50 }, { n = 262144, iters = 100 }, { n = 1048576, iters = 50 }, { n = 1048576, iters = 100 },
  { n = 4194304, iters = 50 }, { n = 4194304, iters = 100 }, { n = 16777216, iters = 50 }, { n = 16777216, iters = 100 },
]
check = { n = 1013, iters = 3 }
[arrays]
counter = "i32[1] inout"
[kernels.atomic_hotspot]
grid = ["ceil(n / 256)"]
block = [256]
arguments = "counter n:i32 iters:i32"
access = "one address; the compiler may add up the lanes of a warp first, so at least one atomic per warp and iteration"
threads = "n"
loops = ["iters"]
static = "bound"
bytes_l2 = "32 * ceil(n / 32) * iters"
atomics_l2 = "ceil(n / 32) * iters"
bytes_dram_read = "4"
bytes_dram_write = "4"
*/
extern "C" __global__ void atomic_hotspot(int* __restrict__ counter, int n, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < iters; k++) atomicAdd(counter, 1);
}
