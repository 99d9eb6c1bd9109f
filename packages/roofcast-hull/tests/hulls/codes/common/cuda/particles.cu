#include <cstdio>
#include <tuple>
struct Particle { float3 pos; float3 vel; float mass; };
inline std::pair<int, int> launch_shape(int n, int t = 256) { return {(n + t - 1) / t, t}; }
__global__ void integrate(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle q = p[i];
  q.vel.z -= 9.81f * dt;
  q.pos.x += q.vel.x * dt; q.pos.y += q.vel.y * dt; q.pos.z += q.vel.z * dt;
  p[i] = q;
}
int main() {
  const int n = 1000000;
  Particle* p; cudaMalloc(&p, n * sizeof(Particle));
  auto [grid, block] = launch_shape(n);
  integrate<<<grid, block>>>(p, n, 0.01f);
  cudaDeviceSynchronize();
}
