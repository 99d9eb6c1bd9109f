// Webcam frames: packed YUYV 4:2:2 to 24-bit RGB, BT.601 integers. A thread converts one macropixel (two pixels).
// Operations by hand: 10 for the chroma of a pair and 14 for each of its pixels.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define WIDTH 3840
#define HEIGHT 2160

__device__ __forceinline__ unsigned char clamp8(int v) {
  return (unsigned char)min(max(v, 0), 255);
}

__device__ __forceinline__ uchar3 pixel(int y, int rc, int gc, int bc) {
  int c = 298 * (y - 16);
  return make_uchar3(clamp8((c + rc) >> 8), clamp8((c + gc) >> 8), clamp8((c + bc) >> 8));
}

__global__ void yuyv_to_rgb(const uchar4* __restrict__ src, uchar3* __restrict__ dst, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  uchar4 q = src[i];  // Y0 U Y1 V
  int d = q.y - 128;
  int e = q.w - 128;
  int rc = 409 * e + 128;
  int gc = 128 - 100 * d - 208 * e;
  int bc = 516 * d + 128;
  dst[2 * i] = pixel(q.x, rc, gc, bc);
  dst[2 * i + 1] = pixel(q.z, rc, gc, bc);
}

static void ok(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(1);
  }
}

int main() {
  const int pairs = WIDTH / 2 * HEIGHT;
  std::vector<uchar4> in(pairs);
  std::vector<uchar3> out(2 * pairs);
  for (int i = 0; i < pairs; ++i)
    in[i] = make_uchar4(16 + i % 220, i % 256, 16 + (i * 3) % 220, (i * 7) % 256);

  uchar4* src;
  uchar3* dst;
  ok(cudaMalloc(&src, pairs * sizeof(uchar4)));
  ok(cudaMalloc(&dst, 2 * pairs * sizeof(uchar3)));
  ok(cudaMemcpy(src, in.data(), pairs * sizeof(uchar4), cudaMemcpyHostToDevice));
  yuyv_to_rgb<<<(pairs + 255) / 256, 256>>>(src, dst, pairs);
  ok(cudaGetLastError());
  ok(cudaMemcpy(out.data(), dst, 2 * pairs * sizeof(uchar3), cudaMemcpyDeviceToHost));
  printf("first pixel: %d %d %d\n", out[0].x, out[0].y, out[0].z);
  cudaFree(src);
  cudaFree(dst);
  return 0;
}
