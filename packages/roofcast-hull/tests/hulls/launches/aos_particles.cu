#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

struct Particle { float x, y, z, vx, vy, vz, mass, pad; };
__global__ void integrate(Particle *p, int n, float dt, float3 g) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) {
    Particle q = p[idx];
    q.vx += g.x * dt; q.vy += g.y * dt; q.vz += g.z * dt;
    q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt;
    p[idx] = q;
  }
}
int main() {
  int n = 1 << 22; Particle *p; cudaMalloc(&p, n * sizeof(Particle));
  integrate<<<(n + 127) / 128, 128>>>(p, n, 0.01f, make_float3(0.f, -9.8f, 0.f));
}