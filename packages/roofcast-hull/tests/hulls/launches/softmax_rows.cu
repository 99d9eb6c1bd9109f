#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#include <cfloat>
__global__ void softmax(const float *in, float *out, int cols) {
  extern __shared__ float s[];
  int row = blockIdx.x, t = threadIdx.x;
  float m = -FLT_MAX;
  for (int c = t; c < cols; c += blockDim.x) m = fmaxf(m, in[row * cols + c]);
  s[t] = m; __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) { if (t < k) s[t] = fmaxf(s[t], s[t + k]); __syncthreads(); }
  m = s[0]; __syncthreads();
  float sum = 0;
  for (int c = t; c < cols; c += blockDim.x) { float e = expf(in[row * cols + c] - m); out[row * cols + c] = e; sum += e; }
  s[t] = sum; __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  sum = s[0];
  for (int c = t; c < cols; c += blockDim.x) out[row * cols + c] /= sum;
}
int main() {
  const int rows = 16384, cols = 1024; float *a, *b;
  size_t bytes = sizeof(float) * rows * cols;
  CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes));
  softmax<<<rows, 256, 256 * sizeof(float)>>>(a, b, cols);
  CHECK(cudaGetLastError()); CHECK(cudaDeviceSynchronize());
}