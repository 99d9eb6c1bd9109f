#include <cuda_runtime.h>
#define EPS2 1e-6f
#define P 256

__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
    float invDist = rsqrtf(distSqr);
    float invDistCube = invDist * invDist * invDist;
    float s = bj.w * invDistCube;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void nbody(const float4 *positions, float4 *accelerations, int N) {
    __shared__ float4 shPosition[P];
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    float4 myPosition = positions[gtid];
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int i = 0, tile = 0; i < N; i += P, tile++) {
        int idx = tile * blockDim.x + threadIdx.x;
        shPosition[threadIdx.x] = positions[idx];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < blockDim.x; j++) acc = interaction(myPosition, shPosition[j], acc);
        __syncthreads();
    }
    accelerations[gtid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

int main() {
    int n = 16384;
    float4 *pos, *acc;
    cudaMalloc(&pos, n * sizeof(float4));
    cudaMalloc(&acc, n * sizeof(float4));
    nbody<<<n / P, P>>>(pos, acc, n);
    cudaDeviceSynchronize();
}
