#include <cuda_runtime.h>

#define BODIES 8192
#define BLOCK 256
#define SOFTENING 1e-9f

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float dx = bj.x - bi.x;
    float dy = bj.y - bi.y;
    float dz = bj.z - bi.z;
    float dist = dx * dx + dy * dy + dz * dz + SOFTENING;
    float inv = rsqrtf(dist);
    float s = bj.w * (inv * inv * inv);
    ai.x += dx * s;
    ai.y += dy * s;
    ai.z += dz * s;
    return ai;
}

__global__ void step(const float4 *pos, float4 *pos_new, float4 *vel, float dt)
{
    __shared__ float4 cache[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = pos[i];
    float3 acc = make_float3(0.f, 0.f, 0.f);
    for (int tile = 0; tile < gridDim.x; tile++) {
        cache[threadIdx.x] = pos[tile * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++) acc = bodyBodyInteraction(me, cache[j], acc);
        __syncthreads();
    }
    float4 v = vel[i];
    v.x += acc.x * dt;
    v.y += acc.y * dt;
    v.z += acc.z * dt;
    me.x += v.x * dt;
    me.y += v.y * dt;
    me.z += v.z * dt;
    vel[i] = v;
    pos_new[i] = me;
}

int main()
{
    float4 *p0, *p1, *v;
    cudaMalloc(&p0, BODIES * sizeof(float4));
    cudaMalloc(&p1, BODIES * sizeof(float4));
    cudaMalloc(&v, BODIES * sizeof(float4));
    for (int it = 0; it < 10; it++) {
        step<<<BODIES / BLOCK, BLOCK>>>(p0, p1, v, 0.01f);
        float4 *t = p0;
        p0 = p1;
        p1 = t;
    }
    cudaDeviceSynchronize();
}
