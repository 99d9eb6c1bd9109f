#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

// Local response normalisation across channels (NCHW), the kind of the first deep networks
typedef float Dtype;

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

const int NUM_THREADS = 512;
inline int GET_BLOCKS(const int N) { return (N + NUM_THREADS - 1) / NUM_THREADS; }

__global__ void LRNForward(const int nthreads, const Dtype* const in, const int num, const int channels,
                           const int height, const int width, const int size, const Dtype alpha_over_size,
                           const Dtype k, const Dtype negative_beta, Dtype* const out) {
  CUDA_KERNEL_LOOP(index, nthreads) {
    const int w = index % width;
    const int h = (index / width) % height;
    const int c = (index / width / height) % channels;
    const int n = index / width / height / channels;
    const int plane = height * width;
    const Dtype* const column = in + n * channels * plane + h * width + w;
    const int first = max(c - (size - 1) / 2, 0);
    const int last = min(c + (size - 1) / 2, channels - 1);
    Dtype accum = 0;
    for (int head = first; head <= last; ++head) {
      accum += column[head * plane] * column[head * plane];
    }
    const Dtype scale = k + accum * alpha_over_size;
    out[index] = column[c * plane] * pow(scale, negative_beta);
  }
}

int main(int argc, char** argv) {
  const int num = 16, channels = 96, height = 27, width = 27, size = 5;
  const int count = num * channels * height * width;
  Dtype alpha = 1e-4f, beta = 0.75f, k = 2.0f;

  Dtype* bottom = (Dtype*)malloc(count * sizeof(Dtype));
  Dtype* top = (Dtype*)malloc(count * sizeof(Dtype));
  for (int i = 0; i < count; ++i) bottom[i] = (Dtype)(i % 255);

  Dtype *bottom_gpu, *top_gpu;
  cudaMalloc((void**)&bottom_gpu, count * sizeof(Dtype));
  cudaMalloc((void**)&top_gpu, count * sizeof(Dtype));
  cudaMemcpy(bottom_gpu, bottom, count * sizeof(Dtype), cudaMemcpyHostToDevice);

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  LRNForward<<<GET_BLOCKS(count), NUM_THREADS>>>(count, bottom_gpu, num, channels, height, width, size, alpha / size,
                                                 k, -beta, top_gpu);
  cudaEventRecord(stop);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
  cudaMemcpy(top, top_gpu, count * sizeof(Dtype), cudaMemcpyDeviceToHost);
  printf("%d responses in %.3f ms, the last one %f\n", count, ms, top[count - 1]);

  cudaFree(bottom_gpu);
  cudaFree(top_gpu);
  free(bottom);
  free(top);
  return 0;
}
