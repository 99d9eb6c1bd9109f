#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void maxpool(const float *x, float *y, int N, int C, int H, int W, int OH, int OW) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= N * C * OH * OW) return;
  int ow = idx % OW, oh = (idx / OW) % OH, c = (idx / OW / OH) % C, n = idx / OW / OH / C;
  float m = -1e30f;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) m = fmaxf(m, x[((n * C + c) * H + oh * 2 + i) * W + ow * 2 + j]);
  y[idx] = m;
}
int main() {
  int N = 32, C = 64, H = 112, W = 112, OH = H / 2, OW = W / 2; float *x, *y;
  cudaMalloc(&x, sizeof(float) * N * C * H * W); cudaMalloc(&y, sizeof(float) * N * C * OH * OW);
  int total = N * C * OH * OW;
  maxpool<<<(total + 255) / 256, 256>>>(x, y, N, C, H, W, OH, OW);
}