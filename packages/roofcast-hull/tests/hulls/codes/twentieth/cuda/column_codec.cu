// column store: zigzag deltas, the bit width of each miniblock, group totals
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

typedef uint32_t u32;
const int N = 1 << 23;
const int MINI = 128;
const int NGROUP = 64;

__global__ void zigzag_delta(const int *v, u32 *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n) return;
    int d = v[i] - v[i - 1];
    z[i] = ((u32)d << 1) ^ (u32)(d >> 31);
}

__global__ void mini_width(const u32 *z, uint8_t *width)
{
    u32 m = 0;
    const u32 *p = z + (size_t)blockIdx.x * MINI;
    for (int i = threadIdx.x; i < MINI; i += 32) m |= p[i];
    for (int s = 1; s < 32; s <<= 1) m |= __shfl_xor_sync(~0u, m, s);
    if (threadIdx.x == 0) width[blockIdx.x] = 32 - __clz(m);
}

__global__ void group_totals(const uint8_t *key, const int *val, unsigned long long *total, int n)
{
    __shared__ unsigned long long bins[NGROUP];
    if (threadIdx.x < NGROUP) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[key[i]], (unsigned long long)val[i]);
    __syncthreads();
    if (threadIdx.x < NGROUP) atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
}

int main()
{
    std::vector<int> v(N); std::vector<uint8_t> k(N);
    u32 s = 12345;
    for (int i = 0; i < N; i++) { s = s * 1664525u + 1013904223u; v[i] = 1000 + (i >> 3) + (s >> 25); k[i] = s >> 26; }
    int *dv; u32 *dz; uint8_t *dw, *dk; unsigned long long *dt;
    cudaMalloc(&dv, N * sizeof(int)); cudaMalloc(&dz, N * sizeof(u32));
    cudaMalloc(&dw, N / MINI); cudaMalloc(&dk, N); cudaMalloc(&dt, NGROUP * 8);
    cudaMemcpy(dv, v.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), N, cudaMemcpyHostToDevice);
    cudaMemset(dz, 0, N * sizeof(u32)); cudaMemset(dt, 0, NGROUP * 8);
    zigzag_delta<<<N / 256, 256>>>(dv, dz, N);
    mini_width<<<N / MINI, 32>>>(dz, dw);
    group_totals<<<264, 512>>>(dk, dv, dt, N);
    unsigned long long t[NGROUP];
    cudaMemcpy(t, dt, sizeof t, cudaMemcpyDeviceToHost);
    printf("%llu\n", t[3]);
    return 0;
}
