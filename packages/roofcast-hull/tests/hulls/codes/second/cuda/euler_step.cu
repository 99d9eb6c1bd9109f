// Local time steps of a finite volume solver.
#include <cuda_runtime.h>

constexpr float kGamma = 1.4f;
constexpr int kElements = 97046;
enum { kDensity = 0, kMomentum = 1, kEnergy = 4, kVariables = 5 };

__device__ inline void velocity(float density, const float3& momentum, float3& v)
{
    v.x = momentum.x / density;
    v.y = momentum.y / density;
    v.z = momentum.z / density;
}

__device__ inline float speed_squared(const float3& v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

__device__ inline float pressure(float density, float energy, float speed2)
{
    return (kGamma - 1.0f) * (energy - 0.5f * density * speed2);
}

__global__ void step_factor(const float* __restrict__ variables, const float* __restrict__ areas, float* __restrict__ factors)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < kElements) {
        float density = variables[i + kDensity * kElements];
        float3 momentum;
        momentum.x = variables[i + (kMomentum + 0) * kElements];
        momentum.y = variables[i + (kMomentum + 1) * kElements];
        momentum.z = variables[i + (kMomentum + 2) * kElements];
        float energy = variables[i + kEnergy * kElements];
        float3 v;
        velocity(density, momentum, v);
        float speed2 = speed_squared(v);
        float p = pressure(density, energy, speed2);
        float sound = sqrtf(kGamma * p / density);
        factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed2) + sound));
    }
}

int main()
{
    float *variables, *areas, *factors;
    cudaMalloc(&variables, kElements * kVariables * sizeof(float));
    cudaMalloc(&areas, kElements * sizeof(float));
    cudaMalloc(&factors, kElements * sizeof(float));
    const int block = 192;
    step_factor<<<(kElements + block - 1) / block, block>>>(variables, areas, factors);
    cudaDeviceSynchronize();
}
