/* roofcast
title = "C = A B through 32 x 32 tiles in shared memory"
source = "Srivastava2025, Table 2: compute-bound"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 256 }, { n = 512 }, { n = 1024 }, { n = 2048 }]
check = { n = 45 }
[arrays]
a = "f32[n * n] in"
b = "f32[n * n] in"
c = "f32[n * n] out"
[kernels.matmul_tiled]
grid = ["ceil(n / 32)", "ceil(n / 32)"]
block = [32, 32]
arguments = "a b c n:i32"
access = "tiles loaded coalesced; in the product one operand is broadcast to the warp, the other is one word per bank"
threads = "n * n"
loops = ["ceil(n / 32)"]
flops_fp32 = "2 * n ** 2 * 32 * ceil(n / 32)"
insts_fp32_fma = "n ** 2 * 32 * ceil(n / 32)"
bytes_l1 = "8 * n ** 2 * ceil(n / 32) + 4 * n ** 2"
bytes_shared = "(4 * 32 + 128 / 4 + 8) * n ** 2 * ceil(n / 32)"
bytes_shared_useful = "(4 * 64 + 8) * n ** 2 * ceil(n / 32)"
bytes_l2 = "8 * n ** 2 * ceil(n / 32) + 4 * n ** 2"
bytes_dram_read = "8 * n ** 2"
bytes_dram_write = "4 * n ** 2"
*/
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                        int n) {
  __shared__ float left[32][32];
  __shared__ float right[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * 32 + x;
  int row = blockIdx.y * 32 + y;
  float sum = 0.0f;
  for (int tile = 0; tile < n; tile += 32) {
    left[y][x] = row < n && tile + x < n ? a[row * n + tile + x] : 0.0f;
    right[y][x] = column < n && tile + y < n ? b[(tile + y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
