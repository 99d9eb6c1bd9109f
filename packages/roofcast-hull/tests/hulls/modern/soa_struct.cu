#include <cuda_runtime.h>
struct Particles { float *x, *y, *z; float *vx, *vy, *vz; int n; };
__device__ inline float3 load3(const Particles& p, int i) { return make_float3(p.vx[i], p.vy[i], p.vz[i]); }
__global__ void push(Particles p, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += gridDim.x * blockDim.x) {
    auto v = load3(p, i);
    p.x[i] += v.x * dt; p.y[i] += v.y * dt; p.z[i] += v.z * dt;
  }
}
int main() {
  Particles p; p.n = 4 << 20;
  float** fields[] = {&p.x, &p.y, &p.z, &p.vx, &p.vy, &p.vz};
  for (auto f : fields) cudaMalloc(f, p.n * sizeof(float));
  push<<<512, 256>>>(p, 0.01f);
  cudaDeviceSynchronize();
}
