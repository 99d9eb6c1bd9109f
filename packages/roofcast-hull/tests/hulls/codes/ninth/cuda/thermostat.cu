// Berendsen thermostat of a molecular dynamics code: kinetic energy, then velocities rescaled in place.
// float4 velocities, mass in .w. Operations by hand: 7 and 3 an atom.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_SAFE_CALL(call)                                                       \
  {                                                                                \
    cudaError err = call;                                                          \
    if (cudaSuccess != err) {                                                      \
      fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__,      \
              __LINE__, cudaGetErrorString(err));                                  \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  }

const int BLOCK = 256;

__global__ void kinetic_energy(const float4* vel, float* ke2, int natoms) {
  __shared__ float cache[BLOCK];
  float sum = 0.0f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < natoms; i += gridDim.x * BLOCK) {
    const float4 v = vel[i];
    sum += v.w * (v.x * v.x + v.y * v.y + v.z * v.z);
  }
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(ke2, cache[0]);
}

// ke2 is twice the kinetic energy, in units of kB = 1
__global__ void rescale_velocities(float4* vel, const float* ke2, float target, float dt_over_tau, int natoms) {
  __shared__ float lambda;
  if (threadIdx.x == 0) {
    const float temperature = *ke2 / (3.0f * natoms);
    lambda = sqrtf(1.0f + dt_over_tau * (target / temperature - 1.0f));
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < natoms) {
    float4 v = vel[i];
    v.x *= lambda;
    v.y *= lambda;
    v.z *= lambda;
    vel[i] = v;
  }
}

int main() {
  const int natoms = 1 << 21;
  std::vector<float4> h(natoms);
  for (int i = 0; i < natoms; ++i) {
    h[i].x = float((i * 17) % 201 - 100) * 0.02f;
    h[i].y = float((i * 29) % 203 - 101) * 0.02f;
    h[i].z = float((i * 31) % 199 - 99) * 0.02f;
    h[i].w = 1.0f;
  }
  float4* vel;
  float* ke2;
  CUDA_SAFE_CALL(cudaMalloc((void**)&vel, natoms * sizeof(float4)));
  CUDA_SAFE_CALL(cudaMalloc((void**)&ke2, sizeof(float)));
  CUDA_SAFE_CALL(cudaMemcpy(vel, h.data(), natoms * sizeof(float4), cudaMemcpyHostToDevice));

  float out = 0.0f;
  for (int step = 0; step < 30; ++step) {
    CUDA_SAFE_CALL(cudaMemset(ke2, 0, sizeof(float)));
    kinetic_energy<<<512, BLOCK>>>(vel, ke2, natoms);
    rescale_velocities<<<(natoms + BLOCK - 1) / BLOCK, BLOCK>>>(vel, ke2, 1.0f, 0.1f, natoms);
  }
  CUDA_SAFE_CALL(cudaGetLastError());
  CUDA_SAFE_CALL(cudaMemcpy(&out, ke2, sizeof(float), cudaMemcpyDeviceToHost));
  printf("temperature before the last rescaling: %f\n", out / (3.0f * natoms));
  cudaFree(vel);
  cudaFree(ke2);
  return 0;
}
