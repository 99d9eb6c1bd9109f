#include <cstdio>
#define TILE 16
#define R 3
#define SW (TILE + 2 * R)
__global__ void box_blur(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  __shared__ float s[SW][SW];
  const int x0 = blockIdx.x * TILE - R, y0 = blockIdx.y * TILE - R;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < SW * SW; i += TILE * TILE) {
    const int sx = i % SW, sy = i / SW;
    const int gx = min(max(x0 + sx, 0), w - 1), gy = min(max(y0 + sy, 0), h - 1);
    s[sy][sx] = in[gy * w + gx];
  }
  __syncthreads();
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0.f;
#pragma unroll
  for (int j = 0; j <= 2 * R; ++j)
#pragma unroll
    for (int i = 0; i <= 2 * R; ++i) sum += s[threadIdx.y + j][threadIdx.x + i];
  out[y * w + x] = sum / ((2 * R + 1) * (2 * R + 1));
}
int main() {
  int w = 1024, h = 1024; float *a, *b;
  cudaMalloc(&a, w * h * sizeof(float)); cudaMalloc(&b, w * h * sizeof(float));
  box_blur<<<dim3(w / TILE, h / TILE), dim3(TILE, TILE)>>>(a, b, w, h);
  cudaDeviceSynchronize();
}
