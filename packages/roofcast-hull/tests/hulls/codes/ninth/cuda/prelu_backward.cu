// Backward of a channelwise PReLU: dx, and the gradient of the slope of each channel.
// One block owns one channel of the whole batch, so no atomics are needed.
// Operations by hand: comparison, slope*g, g*x, sum: 4 a number.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM 16
#define CHANNELS 128
#define SPATIAL (56 * 56)
#define THREADS 512

#define SAFE(call)                                                   \
  {                                                                  \
    cudaError_t rc = call;                                           \
    if (rc != cudaSuccess) {                                         \
      printf("error: %s (line %d)\n", cudaGetErrorString(rc), __LINE__); \
      exit(1);                                                       \
    }                                                                \
  }

__inline__ __device__ float warp_sum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

__global__ void prelu_backward(const float *x, const float *dy, const float *slope,
                               float *dx, float *dslope) {
  __shared__ float partial[THREADS / 32];
  int c = blockIdx.x;
  float a = slope[c];
  float acc = 0.0f;

  for (int j = threadIdx.x; j < NUM * SPATIAL; j += blockDim.x) {
    int n = j / SPATIAL;
    int s = j % SPATIAL;
    size_t idx = ((size_t)n * CHANNELS + c) * SPATIAL + s;
    float v = x[idx];
    float g = dy[idx];
    bool neg = v < 0.0f;
    dx[idx] = neg ? a * g : g;
    acc += neg ? g * v : 0.0f;
  }

  acc = warp_sum(acc);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = threadIdx.x < THREADS / 32 ? partial[threadIdx.x] : 0.0f;
    acc = warp_sum(acc);
    if (threadIdx.x == 0) dslope[c] = acc;
  }
}

int main(void) {
  const size_t n = (size_t)NUM * CHANNELS * SPATIAL;
  float *hx = (float *)malloc(n * sizeof(float));
  float *hs = (float *)malloc(CHANNELS * sizeof(float));
  for (size_t i = 0; i < n; i++) hx[i] = (float)((i * 7919) % 2000) / 1000.0f - 1.0f;
  for (int c = 0; c < CHANNELS; c++) hs[c] = 0.25f;

  float *x, *dy, *slope, *dx, *dslope;
  SAFE(cudaMalloc(&x, n * sizeof(float)));
  SAFE(cudaMalloc(&dy, n * sizeof(float)));
  SAFE(cudaMalloc(&dx, n * sizeof(float)));
  SAFE(cudaMalloc(&slope, CHANNELS * sizeof(float)));
  SAFE(cudaMalloc(&dslope, CHANNELS * sizeof(float)));
  SAFE(cudaMemcpy(x, hx, n * sizeof(float), cudaMemcpyHostToDevice));
  SAFE(cudaMemcpy(dy, hx, n * sizeof(float), cudaMemcpyHostToDevice));
  SAFE(cudaMemcpy(slope, hs, CHANNELS * sizeof(float), cudaMemcpyHostToDevice));

  prelu_backward<<<CHANNELS, THREADS>>>(x, dy, slope, dx, dslope);
  SAFE(cudaGetLastError());
  SAFE(cudaDeviceSynchronize());

  SAFE(cudaMemcpy(hs, dslope, CHANNELS * sizeof(float), cudaMemcpyDeviceToHost));
  printf("dslope[0] = %f, dslope[%d] = %f\n", hs[0], CHANNELS - 1, hs[CHANNELS - 1]);
  cudaFree(x); cudaFree(dy); cudaFree(dx); cudaFree(slope); cudaFree(dslope);
  free(hx); free(hs);
  return 0;
}
