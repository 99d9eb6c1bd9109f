#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}
int main() {
  const int N = 1 << 24; float *x, *y;
  CHECK(cudaMallocManaged(&x, N * sizeof(float))); CHECK(cudaMallocManaged(&y, N * sizeof(float)));
  for (int i = 0; i < N; i++) { x[i] = 1.0f; y[i] = 2.0f; }
  int numSMs; cudaDeviceGetAttribute(&numSMs, cudaDevAttrMultiProcessorCount, 0);
  saxpy<<<32 * numSMs, 256>>>(N, 2.0f, x, y);
  CHECK(cudaDeviceSynchronize());
}