#include <cuda_runtime.h>

struct Particle {
    float3 pos;
    float3 vel;
    float mass;
    int kind;
};

__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }

__global__ void advance(Particle *p, int n, float3 gravity, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = p[i].vel + dt * gravity;
    p[i].vel = v;
    p[i].pos = p[i].pos + dt * v;
}

int main()
{
    const int n = 1 << 19;
    Particle *p;
    cudaMalloc(&p, n * sizeof(Particle));
    for (int s = 0; s < 100; ++s) advance<<<n / 256, 256>>>(p, n, make_float3(0.f, 0.f, -9.81f), 1e-3f);
    cudaDeviceSynchronize();
}
