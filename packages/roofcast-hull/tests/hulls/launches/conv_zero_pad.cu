#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void conv3(const float *in, const float *k, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    float s = 0.f;
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) {
      int r = y + i, c = x + j;
      if (r >= 0 && r < h && c >= 0 && c < w) s += in[r * w + c] * k[(i + 1) * 3 + (j + 1)];
    }
    out[y * w + x] = s;
  }
}
int main() {
  int w = 4096, h = 4096; float *a, *k, *b; cudaMalloc(&a, sizeof(float) * w * h); cudaMalloc(&k, sizeof(float) * 9); cudaMalloc(&b, sizeof(float) * w * h);
  dim3 threads(32, 8); dim3 blocks(w / threads.x, h / threads.y);
  conv3<<<blocks, threads>>>(a, k, b, w, h);
}