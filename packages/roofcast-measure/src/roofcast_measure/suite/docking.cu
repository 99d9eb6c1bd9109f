/* roofcast
title = "docking local search: poses of a ligand on a grid, moved at random, kept where the score is lower"
source = "VanLanker2024, sec. 5.6 (MiniMDock's kind: a random local search with steps that adapt, scores gathered from a map); the text is ours"
precision = "int32"
tolerance = 0
configurations = [
  { n = 16384, atoms = 32, cells = 32, iters = 32 }, { n = 65536, atoms = 32, cells = 64, iters = 32 },
  { n = 262144, atoms = 32, cells = 64, iters = 64 },
]
check = { n = 333, atoms = 7, cells = 9, iters = 21 }
[arrays]
seed = "i32[n] below 2147483647"
map = "i32[cells ** 3] below 4096"
offset = "i32[3 * atoms] below 8"
score = "i32[n] out"
place = "i32[n] out"
[kernels.docking]
grid = ["ceil(n / 64)"]
block = [64]
arguments = "seed map offset score place n:i32 atoms:i32 cells:i32 iters:i32"
access = "offsets broadcast to the warp, a gather from the map for each atom; lanes accept moves at unlike times; the first loop of the code is the one without atoms"
threads = "n"
static = "bound"
loops = ["iters + 1", "iters + 1", "atoms"]
bytes_l1 = "16 * n * (iters + 1) * atoms + 12 * n"
bytes_l2 = "4 * n * (iters + 1) * atoms + 12 * n"
bytes_dram_read = "4 * n + 4 * cells ** 3 + 12 * atoms"
bytes_dram_write = "8 * n"
*/
extern "C" __global__ void docking(const int* __restrict__ seed, const int* __restrict__ map,
                                   const int* __restrict__ offset, int* __restrict__ score, int* __restrict__ place,
                                   int n, int atoms, int cells, int iters) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  unsigned state = (unsigned)seed[p];
  int x = p % cells, y = p / cells % cells, z = p / cells / cells % cells;
  int best = 2147483647, step = 4, good = 0, bad = 0;
  int u = x, v = y, w = z;
  for (int i = 0; i <= iters; i++) {
    int sum = 0;
    for (int a = 0; a < atoms; a++) {
      int r = (u + offset[3 * a]) % cells, s = (v + offset[3 * a + 1]) % cells, t = (w + offset[3 * a + 2]) % cells;
      sum += map[r + cells * (s + cells * t)];
    }
    if (sum < best) {
      best = sum;
      x = u;
      y = v;
      z = w;
      good++;
      bad = 0;
    } else {
      bad++;
      good = 0;
    }
    /* the step of Solis and Wets: longer after four moves that helped, shorter after four that did not */
    if (good == 4) {
      step = 2 * step < cells ? 2 * step : step;
      good = 0;
    }
    if (bad == 4) {
      step = step > 1 ? step / 2 : 1;
      bad = 0;
    }
    state = state * 1664525u + 1013904223u;
    u = (x + cells + (int)(state >> 16) % (2 * step + 1) - step) % cells;
    state = state * 1664525u + 1013904223u;
    v = (y + cells + (int)(state >> 16) % (2 * step + 1) - step) % cells;
    state = state * 1664525u + 1013904223u;
    w = (z + cells + (int)(state >> 16) % (2 * step + 1) - step) % cells;
  }
  score[p] = best;
  place[p] = x + cells * (y + cells * z);
}
