// Two-dimensional vortex method: velocity of every blob induced by all blobs (Krasny smoothing), tiles in shared memory.
// Operations by hand: 11 a pair, and 2 a blob.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE 256

static void die(const char *msg, cudaError_t e) {
  fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e));
  exit(1);
}

__global__ void induced_velocity(const float2 *pos, const float *gamma, float2 *vel, int n, float delta2) {
  __shared__ float2 sp[TILE];
  __shared__ float sg[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float2 me = pos[i];
  float u = 0.0f, v = 0.0f;

  for (int base = 0; base < n; base += TILE) {
    sp[threadIdx.x] = pos[base + threadIdx.x];
    sg[threadIdx.x] = gamma[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < TILE; j++) {
      float dx = me.x - sp[j].x;
      float dy = me.y - sp[j].y;
      float r2 = dx * dx + dy * dy + delta2;
      float s = sg[j] / r2;
      u -= s * dy;
      v += s * dx;
    }
    __syncthreads();
  }
  const float inv2pi = 0.15915494f;
  vel[i] = make_float2(u * inv2pi, v * inv2pi);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16384;
  n = (n + TILE - 1) / TILE * TILE;
  float2 *hpos = (float2 *)malloc(n * sizeof(float2));
  float *hgam = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) {
    float th = 6.2831853f * i / n;
    hpos[i].x = cosf(th);
    hpos[i].y = sinf(th);
    hgam[i] = 1.0f / n;
  }

  float2 *pos, *vel;
  float *gam;
  cudaError_t e;
  if ((e = cudaMalloc(&pos, n * sizeof(float2))) != cudaSuccess) die("pos", e);
  if ((e = cudaMalloc(&vel, n * sizeof(float2))) != cudaSuccess) die("vel", e);
  if ((e = cudaMalloc(&gam, n * sizeof(float))) != cudaSuccess) die("gamma", e);
  cudaMemcpy(pos, hpos, n * sizeof(float2), cudaMemcpyHostToDevice);
  cudaMemcpy(gam, hgam, n * sizeof(float), cudaMemcpyHostToDevice);

  cudaEvent_t t0, t1;
  cudaEventCreate(&t0);
  cudaEventCreate(&t1);
  induced_velocity<<<n / TILE, TILE>>>(pos, gam, vel, n, 0.01f);  // warm-up
  cudaEventRecord(t0);
  for (int r = 0; r < 10; r++) induced_velocity<<<n / TILE, TILE>>>(pos, gam, vel, n, 0.01f);
  cudaEventRecord(t1);
  if ((e = cudaEventSynchronize(t1)) != cudaSuccess) die("kernel", e);
  float ms;
  cudaEventElapsedTime(&ms, t0, t1);
  printf("%d blobs: %.3f ms a sweep\n", n, ms / 10);

  cudaMemcpy(hpos, vel, n * sizeof(float2), cudaMemcpyDeviceToHost);
  printf("velocity of blob 0: (%g, %g)\n", hpos[0].x, hpos[0].y);
  cudaFree(pos); cudaFree(vel); cudaFree(gam);
  free(hpos); free(hgam);
  return 0;
}
