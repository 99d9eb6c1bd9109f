#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
__global__ void im2col(const int n, const float *data_im, int height, int width, int ksize, int pad, int stride, int height_col, int width_col, float *data_col) {
  CUDA_KERNEL_LOOP(index, n) {
    int w_out = index % width_col; int h_index = index / width_col; int h_out = h_index % height_col; int channel_in = h_index / height_col;
    int channel_out = channel_in * ksize * ksize; int h_in = h_out * stride - pad, w_in = w_out * stride - pad;
    float *col = data_col; col += (channel_out * height_col + h_out) * width_col + w_out;
    const float *im = data_im; im += (channel_in * height + h_in) * width + w_in;
    for (int i = 0; i < ksize; ++i) for (int j = 0; j < ksize; ++j) {
      int h = h_in + i, w = w_in + j;
      *col = (h >= 0 && w >= 0 && h < height && w < width) ? im[i * width + j] : 0;
      col += height_col * width_col;
    }
  }
}
int main() {
  int C = 64, H = 56, W = 56, K = 3; float *a, *b; cudaMalloc(&a, C * H * W * sizeof(float)); cudaMalloc(&b, C * K * K * H * W * sizeof(float));
  int n = C * H * W;
  im2col<<<(n + 511) / 512, 512>>>(n, a, H, W, K, 1, 1, H, W, b);
}