#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

#define BLOCK 256
__global__ void bodyForce(float4 *p, float4 *v, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
    for (int tile = 0; tile < gridDim.x; tile++) {
      __shared__ float3 spos[BLOCK];
      float4 tpos = p[tile * blockDim.x + threadIdx.x];
      spos[threadIdx.x] = make_float3(tpos.x, tpos.y, tpos.z);
      __syncthreads();
      for (int j = 0; j < BLOCK; j++) {
        float dx = spos[j].x - p[i].x, dy = spos[j].y - p[i].y, dz = spos[j].z - p[i].z;
        float distSqr = dx * dx + dy * dy + dz * dz + 1e-9f;
        float invDist = rsqrtf(distSqr); float invDist3 = invDist * invDist * invDist;
        Fx += dx * invDist3; Fy += dy * invDist3; Fz += dz * invDist3;
      }
      __syncthreads();
    }
    v[i].x += dt * Fx; v[i].y += dt * Fy; v[i].z += dt * Fz;
  }
}
int main() {
  int n = 65536; float4 *p, *v; cudaMalloc(&p, n * sizeof(float4)); cudaMalloc(&v, n * sizeof(float4));
  bodyForce<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(p, v, 0.01f, n);
}