// Lens correction by a stored map (as cv::remap): each pixel of the result reads four pixels of the source
// where the map says, bilinear. Operations by hand: two floors, two fractions, three lerps, rounding: 14 a pixel.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define W 1920
#define H 1080

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}

__global__ void remap_bilinear(const unsigned char *src, const float2 *map, unsigned char *dst) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= W || y >= H) return;
  int offset = x + y * W;

  float2 p = map[offset];
  float fx0 = floorf(p.x), fy0 = floorf(p.y);
  float fx = p.x - fx0, fy = p.y - fy0;
  int x0 = min(max((int)fx0, 0), W - 1);
  int y0 = min(max((int)fy0, 0), H - 1);
  int x1 = min(x0 + 1, W - 1);
  int y1 = min(y0 + 1, H - 1);

  float a = src[y0 * W + x0];
  float b = src[y0 * W + x1];
  float c = src[y1 * W + x0];
  float d = src[y1 * W + x1];
  float top = a + fx * (b - a);
  float bottom = c + fx * (d - c);
  dst[offset] = (unsigned char)(top + fy * (bottom - top) + 0.5f);
}

int main(void) {
  const int n = W * H;
  unsigned char *himg = (unsigned char *)malloc(n);
  float2 *hmap = (float2 *)malloc(n * sizeof(float2));
  const float k1 = -0.12f, k2 = 0.03f;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      float u = (x - 0.5f * W) / W, v = (y - 0.5f * H) / W;
      float r2 = u * u + v * v;
      float s = 1.0f + k1 * r2 + k2 * r2 * r2;
      hmap[y * W + x] = make_float2(u * s * W + 0.5f * W, v * s * W + 0.5f * H);
      himg[y * W + x] = ((x / 40 + y / 40) & 1) ? 230 : 25;
    }
  }

  unsigned char *src, *dst;
  float2 *map;
  HANDLE_ERROR(cudaMalloc((void **)&src, n));
  HANDLE_ERROR(cudaMalloc((void **)&dst, n));
  HANDLE_ERROR(cudaMalloc((void **)&map, n * sizeof(float2)));
  HANDLE_ERROR(cudaMemcpy(src, himg, n, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMemcpy(map, hmap, n * sizeof(float2), cudaMemcpyHostToDevice));

  dim3 threads(16, 16);
  dim3 blocks((W + 15) / 16, (H + 15) / 16);
  remap_bilinear<<<blocks, threads>>>(src, map, dst);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaMemcpy(himg, dst, n, cudaMemcpyDeviceToHost));
  printf("centre %d corner %d\n", himg[H / 2 * W + W / 2], himg[0]);

  cudaFree(src);
  cudaFree(dst);
  cudaFree(map);
  free(himg);
  free(hmap);
  return 0;
}
