#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void rope(float *q, const float *cosT, const float *sinT, int seq, int heads, int hd) {
  int pos = blockIdx.x, head = blockIdx.y, i = threadIdx.x;
  float *v = q + (pos * heads + head) * hd;
  float c = cosT[pos * (hd / 2) + i], s = sinT[pos * (hd / 2) + i];
  float a = v[i], b = v[i + hd / 2];
  v[i] = a * c - b * s; v[i + hd / 2] = a * s + b * c;
}
int main() {
  const int seq = 2048, heads = 32, hd = 128; float *q, *c, *s;
  cudaMalloc(&q, sizeof(float) * seq * heads * hd); cudaMalloc(&c, sizeof(float) * seq * hd / 2); cudaMalloc(&s, sizeof(float) * seq * hd / 2);
  rope<<<dim3(seq, heads), hd / 2>>>(q, c, s, seq, heads, hd);
}