#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define R 2
#define KW (2 * R + 1)
__constant__ float filt[KW * KW];
__global__ void conv2d(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
  for (int dy = -R; dy <= R; dy++)
    for (int dx = -R; dx <= R; dx++) {
      int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
      s += in[yy * w + xx] * filt[(dy + R) * KW + dx + R];
    }
  out[y * w + x] = s;
}
int main() {
  const int W = 4096, H = 4096; float hf[KW * KW]; float *a, *b; cudaMalloc(&a, W * H * sizeof(float)); cudaMalloc(&b, W * H * sizeof(float));
  cudaMemcpyToSymbol(filt, hf, sizeof(hf));
  dim3 blk(16, 16), grd((W + 15) / 16, (H + 15) / 16);
  conv2d<<<grd, blk>>>(a, b, W, H);
}