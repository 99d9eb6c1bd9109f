#include <cuda_runtime.h>

// y = max(y + bias[channel], 0), in place, NCHW
__global__ void bias_relu_kernel(float* y, const float* bias, int channels, int spatial, int total) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < total) {
    int c = (idx / spatial) % channels;
    float v = y[idx] + __ldg(&bias[c]);
    y[idx] = fmaxf(v, 0.f);
  }
}

void bias_relu(float* y, const float* bias, int batch, int channels, int h, int w, cudaStream_t stream) {
  int total = batch * channels * h * w;
  int threads = 256;
  int blocks = (total + threads - 1) / threads;
  bias_relu_kernel<<<blocks, threads, 0, stream>>>(y, bias, channels, h * w, total);
}

int main() {
  const int B = 16, C = 64, H = 56, W = 56;
  float *y, *bias;
  cudaMalloc(&y, sizeof(float) * B * C * H * W);
  cudaMalloc(&bias, sizeof(float) * C);
  cudaStream_t s;
  cudaStreamCreate(&s);
  bias_relu(y, bias, B, C, H, W, s);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
  return 0;
}
