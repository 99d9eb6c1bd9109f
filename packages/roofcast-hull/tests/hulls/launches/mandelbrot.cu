#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void mandel(int *out, int w, int h, int maxIter) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = -2.0f + px * 3.0f / w, cy = -1.5f + py * 3.0f / h, x = 0, y = 0; int it = 0;
  while (x * x + y * y < 4.0f && it < maxIter) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; it++; }
  out[py * w + px] = it;
}
int main() {
  int w = 4096, h = 4096; int *o; cudaMalloc(&o, w * h * sizeof(int));
  mandel<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(o, w, h, 1000);
}