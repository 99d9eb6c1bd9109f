/* roofcast
title = "forces on the eight corners of every cell of an unstructured mesh"
source = "VanLanker2024, sec. 5.5: the access of LULESH's forces (gather of eight corners, forces scattered to nodes); the text is ours"
precision = "fp32"
tolerance = 1e-5
configurations = [{ n = 32 }, { n = 64 }, { n = 128 }]
check = { n = 5 }
[values]
softness = 0.25
[arrays]
corner = "i32[8 * n * n * n] out"
pressure = "f32[n * n * n] in"
x = "f32[(n + 1) ** 3] in"
y = "f32[(n + 1) ** 3] in"
z = "f32[(n + 1) ** 3] in"
fx = "f32[(n + 1) ** 3] inout"
fy = "f32[(n + 1) ** 3] inout"
fz = "f32[(n + 1) ** 3] inout"
[kernels.corners_connect]
once = true
grid = ["ceil(n * n * n / 128)"]
block = [128]
arguments = "corner n:i32"
access = "writes only, coalesced"
threads = "n * n * n"
bytes_l1 = "32 * n ** 3"
bytes_l2 = "32 * n ** 3"
bytes_dram_read = "0"
bytes_dram_write = "32 * n ** 3"
[kernels.corners_force]
grid = ["ceil(n * n * n / 128)"]
block = [128]
arguments = "corner pressure x y z fx fy fz n:i32 softness:f32"
access = "gather of 24 coordinates through an index, 24 atomic additions scattered to the same nodes; cells share corners"
threads = "n * n * n"
flops_fp32 = "152 * n ** 3"
insts_fp32_add = "24 * n ** 3"
insts_fp32_mul = "32 * n ** 3"
insts_fp32_fma = "48 * n ** 3"
bytes_l1 = "(4 * 8 + 4 + 4 * 24 + 4 * 24) * n ** 3"
bytes_l2 = "(4 * 8 + 4 + 4 * 24 + 4 * 24) * n ** 3"
atomics_l2 = "24 * n ** 3"
bytes_dram_read = "36 * n ** 3 + 24 * (n + 1) ** 3"
bytes_dram_write = "12 * (n + 1) ** 3"
*/
extern "C" __global__ void corners_connect(int* __restrict__ corner, int n) {
  int cells = n * n * n;
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= cells) return;
  int i = e % n, j = e / n % n, k = e / n / n, m = n + 1;
#pragma unroll
  for (int c = 0; c < 8; c++) corner[c * cells + e] = i + c % 2 + m * (j + c / 2 % 2 + m * (k + c / 4));
}

extern "C" __global__ void corners_force(const int* __restrict__ corner, const float* __restrict__ pressure,
                                         const float* __restrict__ x, const float* __restrict__ y,
                                         const float* __restrict__ z, float* __restrict__ fx, float* __restrict__ fy,
                                         float* __restrict__ fz, int n, float softness) {
  int cells = n * n * n;
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= cells) return;
  int at[8];
  float a[8], b[8], c[8], sa = 0.0f, sb = 0.0f, sc = 0.0f;
#pragma unroll
  for (int q = 0; q < 8; q++) {
    at[q] = corner[q * cells + e];
    a[q] = x[at[q]];
    b[q] = y[at[q]];
    c[q] = z[at[q]];
    sa += a[q];
    sb += b[q];
    sc += c[q];
  }
  float p = pressure[e];
#pragma unroll
  for (int q = 0; q < 8; q++) {
    /* from the cell's middle to the corner; less pressure on far corners */
    float u = a[q] - 0.125f * sa, v = b[q] - 0.125f * sb, w = c[q] - 0.125f * sc;
    float force = p - softness * (u * u + v * v + w * w);
    atomicAdd(&fx[at[q]], force * u);
    atomicAdd(&fy[at[q]], force * v);
    atomicAdd(&fz[at[q]], force * w);
  }
}
