/* roofcast
title = "k nearest neighbours: all distances, the k least of each query, square roots"
source = "VanLanker2024, Table 2 (KNN)"
precision = "fp32"
tolerance = 1e-5
configurations = [{ nb = 4096, dim = 32, k = 20 }, { nb = 16384, dim = 32, k = 20 }]
check = { nb = 77, dim = 5, k = 6 }
[arrays]
reference = "f32[dim * nb] in"
query = "f32[dim * nb] in"
distance = "f32[nb * nb] out"
nearest = "f32[k * nb] out"
index = "i32[k * nb] out"
[kernels.knn_distances]
grid = ["ceil(nb / 32)", "ceil(nb / 8)"]
block = [32, 8]
arguments = "reference query distance nb:i32 dim:i32"
access = "queries coalesced, references broadcast to the warp; both strips of a block stay in L1"
threads = "nb * nb"
loops = ["dim"]
flops_fp32 = "3 * dim * nb * nb"
insts_fp32_add = "dim * nb * nb"
insts_fp32_fma = "dim * nb * nb"
bytes_l1 = "(8 * dim + 4) * nb * nb"
bytes_l2 = "ceil(nb / 32) * ceil(nb / 8) * 160 * dim + 4 * nb * nb"
bytes_dram_read = "8 * dim * nb"
bytes_dram_write = "4 * nb * nb"
[kernels.knn_selection]
grid = ["ceil(nb / 256)"]
block = [256]
arguments = "distance nearest index nb:i32 k:i32"
access = "a thread per query scans its column, coalesced; insertion into a sorted list happens about k ln(nb / k) times"
threads = "nb"
static = "bound"
loops = ["nb", "k"]
bytes_l1 = "nb * (4 * nb + 8 * k) + 4 * nb * nb"
bytes_l2 = "4 * nb * nb + 8 * k * nb"
bytes_dram_read = "4 * nb * nb"
bytes_dram_write = "8 * k * nb"
[kernels.knn_roots]
grid = ["ceil(k * nb / 256)"]
block = [256]
arguments = "nearest k:i32 nb:i32"
access = "coalesced"
threads = "k * nb"
flops_fp32 = "k * nb * SQRT32"
insts_fp32_mul = "2 * k * nb"
insts_fp32_fma = "2 * k * nb"
bytes_l1 = "8 * k * nb"
bytes_l2 = "8 * k * nb"
bytes_dram_read = "4 * k * nb"
bytes_dram_write = "4 * k * nb"
*/
extern "C" __global__ void knn_distances(const float* __restrict__ reference, const float* __restrict__ query,
                                         float* __restrict__ distance, int nb, int dim) {
  int q = blockIdx.x * 32 + threadIdx.x;
  int p = blockIdx.y * 8 + threadIdx.y;
  if (p >= nb || q >= nb) return;
  float sum = 0.0f;
  for (int d = 0; d < dim; d++) {
    float off = reference[d * nb + p] - query[d * nb + q];
    sum += off * off;
  }
  distance[p * nb + q] = sum;
}

extern "C" __global__ void knn_selection(const float* __restrict__ distance, float* __restrict__ nearest,
                                         int* __restrict__ index, int nb, int k) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= nb) return;
  int held = 0;
  for (int p = 0; p < nb; p++) {
    float here = distance[p * nb + q];
    if (held == k && here >= nearest[(k - 1) * nb + q]) continue;
    int at = held < k ? held : k - 1;
    while (at > 0 && nearest[(at - 1) * nb + q] > here) {
      nearest[at * nb + q] = nearest[(at - 1) * nb + q];
      index[at * nb + q] = index[(at - 1) * nb + q];
      at--;
    }
    nearest[at * nb + q] = here;
    index[at * nb + q] = p;
    if (held < k) held++;
  }
}

extern "C" __global__ void knn_roots(float* __restrict__ nearest, int k, int nb) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= k * nb) return;
  nearest[i] = sqrtf(nearest[i]);
}
