#include <cuda_runtime.h>
__global__ void bilinear(cudaTextureObject_t tex, float* out, int w, int h, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  out[y * w + x] = tex2D<float>(tex, (x + 0.5f) * scale, (y + 0.5f) * scale);
}
__global__ void gather(const float* __restrict__ t, const int* __restrict__ idx, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = __ldg(t + __ldg(&idx[i]));
}
int main() {
  const int w = 2048, h = 2048;
  cudaTextureObject_t tex = 0; float* out; cudaArray_t arr;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaMallocArray(&arr, &d, w, h);
  cudaMalloc(&out, w * h * sizeof(float));
  bilinear<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(tex, out, w, h, 1.0f);
  int n = 1 << 22; float *t, *o; int* idx; cudaMalloc(&t, n * 4); cudaMalloc(&o, n * 4); cudaMalloc(&idx, n * 4);
  gather<<<n / 256, 256>>>(t, idx, o, n);
  cudaDeviceSynchronize();
}
