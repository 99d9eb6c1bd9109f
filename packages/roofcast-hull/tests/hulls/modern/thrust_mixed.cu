#include <thrust/device_vector.h>
#include <thrust/transform.h>
#include <thrust/functional.h>
__global__ void saxpy(int n, float a, const float* x, float* y) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) y[i] = a * x[i] + y[i]; }
int main() {
  const int n = 1 << 22;
  thrust::device_vector<float> x(n, 1.f), y(n, 2.f);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()));
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), thrust::plus<float>());
  cudaDeviceSynchronize();
  return 0;
}
