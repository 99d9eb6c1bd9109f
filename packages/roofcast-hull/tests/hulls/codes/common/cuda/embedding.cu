#include <cstdio>
#include <cuda_runtime.h>
__global__ void encoder_forward_kernel(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int N = B * T * C;
  if (idx < N) {
    int bt = idx / C;
    int b = bt / T;
    int t = bt % T;
    int c = idx % C;
    int ix = inp[b * T + t];
    float* out_btc = out + b * T * C + t * C + c;
    const float* wte_ix = wte + ix * C + c;
    const float* wpe_tc = wpe + t * C + c;
    *out_btc = *wte_ix + *wpe_tc;
  }
}
int main() {
  int B = 8, T = 1024, C = 768, V = 50257;
  float *out, *wte, *wpe; int* inp;
  cudaMalloc(&out, B * T * C * sizeof(float)); cudaMalloc(&inp, B * T * sizeof(int));
  cudaMalloc(&wte, V * C * sizeof(float)); cudaMalloc(&wpe, T * C * sizeof(float));
  int block_size = 256;
  const int N = B * T * C;
  const int grid_size = (N + block_size - 1) / block_size;
  encoder_forward_kernel<<<grid_size, block_size>>>(out, inp, wte, wpe, B, T, C);
  cudaDeviceSynchronize();
}
