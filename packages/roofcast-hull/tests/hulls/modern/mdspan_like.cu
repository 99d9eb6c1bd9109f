#include <cuda_runtime.h>
#include <array>
template <class T> struct span2d { T* p; int nx; __host__ __device__ T* operator[](int y) const { return p + y * nx; } };
template <class T> __device__ __host__ constexpr T clamp(T v, T lo, T hi) { return v < lo ? lo : v > hi ? hi : v; }
template <int R> __global__ void box(span2d<const unsigned char> src, span2d<unsigned char> dst, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x; const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  unsigned s = 0;
  for (int dy = -R; dy <= R; ++dy) for (int dx = -R; dx <= R; ++dx) s += src[clamp(y + dy, 0, ny - 1)][clamp(x + dx, 0, nx - 1)];
  dst[y][x] = static_cast<unsigned char>(s / ((2 * R + 1) * (2 * R + 1)));
}
int main() {
  int nx = 3840, ny = 2160; unsigned char *a, *b;
  cudaMalloc(&a, nx * ny); cudaMalloc(&b, nx * ny);
  dim3 t{32, 8}; dim3 g{(unsigned)(nx + 31) / 32, (unsigned)(ny + 7) / 8};
  box<2><<<g, t>>>({a, nx}, {b, nx}, nx, ny);
  cudaDeviceSynchronize();
}
