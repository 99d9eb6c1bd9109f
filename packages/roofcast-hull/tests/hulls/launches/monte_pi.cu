#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#include <curand_kernel.h>
__global__ void pi(unsigned long long *total, int iters, unsigned seed) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  curandState st; curand_init(seed, id, 0, &st);
  int in = 0;
  for (int i = 0; i < iters; i++) { float x = curand_uniform(&st), y = curand_uniform(&st); if (x * x + y * y <= 1.0f) in++; }
  atomicAdd(total, (unsigned long long)in);
}
int main() { unsigned long long *t; cudaMalloc(&t, 8); pi<<<256, 256>>>(t, 10000, 1234); }