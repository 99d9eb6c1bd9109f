#include <cstdio>
#include <cfloat>
__global__ void max_pool_forward(const int nthreads, const float* bottom_data, const int channels, const int height, const int width, const int pooled_height, const int pooled_width, const int kernel, const int stride, float* top_data) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int c = (index / pooled_width / pooled_height) % channels;
    const int n = index / pooled_width / pooled_height / channels;
    int hstart = ph * stride, wstart = pw * stride;
    const int hend = min(hstart + kernel, height), wend = min(wstart + kernel, width);
    float maxval = -FLT_MAX;
    const float* slice = bottom_data + (n * channels + c) * height * width;
    for (int h = hstart; h < hend; ++h)
      for (int w = wstart; w < wend; ++w)
        if (slice[h * width + w] > maxval) maxval = slice[h * width + w];
    top_data[index] = maxval;
  }
}
int main() {
  int N = 16, C = 64, H = 112, W = 112, PH = 56, PW = 56;
  float *in, *out;
  cudaMalloc(&in, N * C * H * W * 4); cudaMalloc(&out, N * C * PH * PW * 4);
  int count = N * C * PH * PW;
  max_pool_forward<<<(count + 511) / 512, 512>>>(count, in, C, H, W, PH, PW, 2, 2, out);
  cudaDeviceSynchronize();
}
