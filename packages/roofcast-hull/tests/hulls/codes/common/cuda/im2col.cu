#include <cstdio>
__global__ void im2col_gpu_kernel(const int n, const float* data_im, const int height, const int width, const int kernel, const int pad, const int height_col, const int width_col, float* data_col) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < n) {
    const int h_index = index / width_col;
    const int h_col = h_index % height_col;
    const int w_col = index % width_col;
    const int c_im = h_index / height_col;
    const int c_col = c_im * kernel * kernel;
    const int h_offset = h_col - pad;
    const int w_offset = w_col - pad;
    float* data_col_ptr = data_col + (c_col * height_col + h_col) * width_col + w_col;
    const float* data_im_ptr = data_im + (c_im * height + h_offset) * width + w_offset;
    for (int i = 0; i < kernel; ++i)
      for (int j = 0; j < kernel; ++j) {
        int h_im = h_offset + i, w_im = w_offset + j;
        *data_col_ptr = (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width) ? data_im_ptr[i * width + j] : 0;
        data_col_ptr += height_col * width_col;
      }
  }
}
int main() {
  const int C = 32, H = 64, W = 64, K = 3, PAD = 1;
  float *im, *col;
  cudaMalloc(&im, C * H * W * sizeof(float)); cudaMalloc(&col, C * K * K * H * W * sizeof(float));
  int n = C * H * W;
  im2col_gpu_kernel<<<(n + 255) / 256, 256>>>(n, im, H, W, K, PAD, H, W, col);
  cudaDeviceSynchronize();
}
