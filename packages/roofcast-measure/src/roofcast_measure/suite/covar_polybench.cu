/* roofcast
title = "COVAR: covariance of the columns of a matrix (sums of products, as in PolyBench)"
source = "VanLanker2024, Table 2 (COVAR)"
precision = "fp32"
tolerance = 2e-5
configurations = [{ n = 2048, m = 512 }, { n = 8192, m = 2048 }]
check = { n = 33, m = 41 }
[values]
inverse_n = "1 / n"
[arrays]
data = "f32[n * m] in"
mean = "f32[m] out"
centred = "f32[n * m] out"
result = "f32[m * m] out"
[kernels.covar_mean]
grid = ["ceil(m / 256)"]
block = [256]
arguments = "data mean m:i32 n:i32 inverse_n:f32"
access = "a thread walks a column, lanes are neighbours: coalesced; only m threads"
threads = "m"
loops = ["n"]
flops_fp32 = "m * (n + 1)"
insts_fp32_add = "m * n"
insts_fp32_mul = "m"
bytes_l1 = "4 * m * (n + 1)"
bytes_l2 = "4 * m * (n + 1)"
bytes_dram_read = "4 * m * n"
bytes_dram_write = "4 * m"
[kernels.covar_centre]
grid = ["ceil(m / 32)", "ceil(n / 8)"]
block = [32, 8]
arguments = "data mean centred m:i32 n:i32"
access = "coalesced rows"
threads = "m * n"
flops_fp32 = "m * n"
insts_fp32_add = "m * n"
bytes_l1 = "12 * m * n"
bytes_l2 = "8 * m * n + 4 * m * ceil(n / 8)"
bytes_dram_read = "4 * m * n + 4 * m"
bytes_dram_write = "4 * m * n"
[kernels.covar_products]
grid = ["ceil(m / 256)"]
block = [256]
arguments = "centred result m:i32 n:i32"
access = "a thread computes a row of the result; lanes are neighbours in column j1, column j2 is broadcast; only m threads"
threads = "m"
# First the compiler's copy of the loop for an empty inner one, which never runs.
loops = ["0", "(m + 1) / 2", "n"]
flops_fp32 = "m * (m + 1) * n"
insts_fp32_fma = "m * (m + 1) * n / 2"
bytes_l1 = "m * (m + 1) / 2 * (8 * n + 8)"
bytes_l2 = "m * (m + 1) / 2 * (8 * n / 2 + 8)"
bytes_dram_read = "4 * m * n"
bytes_dram_write = "4 * m * m"
*/
extern "C" __global__ void covar_mean(const float* __restrict__ data, float* __restrict__ mean, int m, int n,
                                   float inverse_n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += data[i * m + j];
  mean[j] = sum * inverse_n;
}

extern "C" __global__ void covar_centre(const float* __restrict__ data, const float* __restrict__ mean,
                                        float* __restrict__ centred, int m, int n) {
  int j = blockIdx.x * 32 + threadIdx.x;
  int i = blockIdx.y * 8 + threadIdx.y;
  if (i >= n || j >= m) return;
  centred[i * m + j] = data[i * m + j] - mean[j];
}

extern "C" __global__ void covar_products(const float* __restrict__ centred, float* __restrict__ result, int m,
                                          int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= m) return;
  for (int j2 = j1; j2 < m; j2++) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += centred[i * m + j1] * centred[i * m + j2];
    result[j1 * m + j2] = sum;
    result[j2 * m + j1] = sum;
  }
}
