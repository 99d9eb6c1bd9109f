// Many independent PCG32 streams: seeding, and a batch of uniform numbers per call.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int STREAMS = 1 << 21;

__global__ void seed_streams(uint64_t *state, uint64_t seed)
{
    uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= STREAMS) return;
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    state[i] = z ^ (z >> 31);
}

__device__ __forceinline__ uint32_t pcg32(uint64_t &s)
{
    const uint64_t old = s;
    s = old * 6364136223846793005ull + 1442695040888963407ull;
    const uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t rot = (uint32_t)(old >> 59);
    return (x >> rot) | (x << ((32u - rot) & 31u));
}

__global__ void uniforms(uint64_t *state, float *u)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= STREAMS) return;
    uint64_t s = state[i];
    u[i] = (pcg32(s) >> 8) * (1.0f / 16777216.0f);
    state[i] = s;
}

int main()
{
    uint64_t *state;
    float *u, first[4];
    cudaMalloc(&state, STREAMS * sizeof(uint64_t));
    cudaMalloc(&u, STREAMS * sizeof(float));
    seed_streams<<<STREAMS / 512, 512>>>(state, 2024ull);
    for (int k = 0; k < 3; ++k) uniforms<<<STREAMS / 512, 512>>>(state, u);
    cudaMemcpy(first, u, sizeof first, cudaMemcpyDeviceToHost);
    printf("%f %f %f %f\n", first[0], first[1], first[2], first[3]);
}
