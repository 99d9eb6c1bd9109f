#include <cstdio>
#define B 16
__constant__ float k3[9];
__global__ void conv3(const float* in, float* out, int W, int H) {
  __shared__ float tile[(B + 2) * (B + 2)];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * B + tx, y = blockIdx.y * B + ty;
  int bw = B + 2;
  if (x < W && y < H) {
    tile[(ty + 1) * bw + tx + 1] = in[y * W + x];
    if (tx == 0 && x > 0) tile[(ty + 1) * bw] = in[y * W + x - 1];
    if (tx == B - 1 && x < W - 1) tile[(ty + 1) * bw + B + 1] = in[y * W + x + 1];
    if (ty == 0 && y > 0) tile[tx + 1] = in[(y - 1) * W + x];
    if (ty == B - 1 && y < H - 1) tile[(B + 1) * bw + tx + 1] = in[(y + 1) * W + x];
    if (tx == 0 && ty == 0 && x > 0 && y > 0) tile[0] = in[(y - 1) * W + x - 1];
    if (tx == B - 1 && ty == 0 && x < W - 1 && y > 0) tile[B + 1] = in[(y - 1) * W + x + 1];
    if (tx == 0 && ty == B - 1 && x > 0 && y < H - 1) tile[(B + 1) * bw] = in[(y + 1) * W + x - 1];
    if (tx == B - 1 && ty == B - 1 && x < W - 1 && y < H - 1) tile[(B + 1) * bw + B + 1] = in[(y + 1) * W + x + 1];
  }
  __syncthreads();
  if (x > 0 && x < W - 1 && y > 0 && y < H - 1) {
    float acc = 0;
    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) acc += tile[(ty + 1 + j) * bw + tx + 1 + i] * k3[(j + 1) * 3 + i + 1];
    out[y * W + x] = acc;
  }
}
int main() {
  int W = 512, H = 512; float *a, *b;
  cudaMalloc(&a, W * H * 4); cudaMalloc(&b, W * H * 4);
  conv3<<<dim3(32, 32), dim3(B, B)>>>(a, b, W, H);
  cudaDeviceSynchronize();
}
