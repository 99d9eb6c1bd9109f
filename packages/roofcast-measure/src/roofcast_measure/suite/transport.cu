/* roofcast
title = "divergent Monte Carlo transport: particles move from cell to cell, lose weight and are absorbed"
source = "VanLanker2024, sec. 5.4 (Quicksilver's kind: histories of unlike length, gathers, atomic tallies); the text is ours"
precision = "fp32"
tolerance = 2e-5
configurations = [
  { n = 65536, cells = 16, steps = 64, absorb = 4096 }, { n = 524288, cells = 32, steps = 64, absorb = 4096 },
  { n = 4194304, cells = 64, steps = 64, absorb = 4096 },
]
check = { n = 777, cells = 5, steps = 24, absorb = 6000 }
[arrays]
seed = "i32[n] below 2147483647"
survive = "f32[cells ** 3] between 0.5 1.0"
tally = "f32[cells ** 3] inout"
events = "i32[n] out"
weight = "f32[n] out"
[kernels.transport]
grid = ["ceil(n / 128)"]
block = [128]
arguments = "seed survive tally events weight n:i32 cells:i32 steps:i32 absorb:i32"
access = "a gather and an atomic addition in each event; lanes of a warp end after unlike numbers of events"
threads = "n"
static = "bound"
loops = ["steps"]
flops_fp32 = "n * (1 - (1 - absorb / 65536) ** steps) * 65536 / absorb"
insts_fp32_mul = "n * (1 - (1 - absorb / 65536) ** steps) * 65536 / absorb"
bytes_l1 = "8 * n * (1 - (1 - absorb / 65536) ** steps) * 65536 / absorb + 12 * n"
bytes_l2 = "8 * n * (1 - (1 - absorb / 65536) ** steps) * 65536 / absorb + 12 * n"
atomics_l2 = "n * (1 - (1 - absorb / 65536) ** steps) * 65536 / absorb"
bytes_dram_read = "4 * n + 8 * cells ** 3"
bytes_dram_write = "8 * n + 4 * cells ** 3"
*/
extern "C" __global__ void transport(const int* __restrict__ seed, const float* __restrict__ survive,
                                     float* __restrict__ tally, int* __restrict__ events, float* __restrict__ weight,
                                     int n, int cells, int steps, int absorb) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  unsigned state = (unsigned)seed[p];
  int x = p % cells, y = p / cells % cells, z = p / cells / cells % cells, count = 0;
  float left = 1.0f;
  while (count < steps) {
    int cell = x + cells * (y + cells * z);
    left *= survive[cell];
    atomicAdd(&tally[cell], left);
    count++;
    /* whole numbers decide, so that float64 takes the same way */
    state = state * 1664525u + 1013904223u;
    int draw = (int)(state >> 16);
    if (draw < absorb) break;
    int way = draw % 6;
    if (way == 0) x = x + 1 < cells ? x + 1 : 0;
    else if (way == 1) x = x > 0 ? x - 1 : cells - 1;
    else if (way == 2) y = y + 1 < cells ? y + 1 : 0;
    else if (way == 3) y = y > 0 ? y - 1 : cells - 1;
    else if (way == 4) z = z + 1 < cells ? z + 1 : 0;
    else z = z > 0 ? z - 1 : cells - 1;
  }
  events[p] = count;
  weight[p] = left;
}
