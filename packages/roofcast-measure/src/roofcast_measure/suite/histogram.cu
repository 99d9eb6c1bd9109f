/* roofcast
title = "256 bins: counted in shared memory by each block, then added up"
source = "Srivastava2025, Table 2: atomic operations (1 KiB of shared memory per block in its data)"
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
access = "coalesced loads; one atomic per element to the block's own 256 words, then one per bin and block to 8 lines"
threads = "256 * ceil(n / 256)"
bytes_l1 = "4 * n + 1024 * ceil(n / 256)"
bytes_l2 = "4 * n + 1024 * ceil(n / 256)"
bytes_shared = "12 * 256 * ceil(n / 256)"
bytes_shared_useful = "8 * 256 * ceil(n / 256) + 4 * n"
atomics_l2 = "256 * ceil(n / 256)"
bytes_dram_read = "4 * n + 1024"
bytes_dram_write = "1024"
*/
extern "C" __global__ void histogram(const int* __restrict__ x, int* __restrict__ bins, int n) {
  __shared__ int mine[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  mine[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&mine[x[i]], 1);
  __syncthreads();
  atomicAdd(&bins[t], mine[t]);
}
