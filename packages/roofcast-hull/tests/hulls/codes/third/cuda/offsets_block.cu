// Exclusive sums of 1024 counts by each block: shuffles in warps, then the sums of the warps.
#include <cuda_runtime.h>

__device__ int inclusive_warp(int v, int lane)
{
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += other;
    }
    return v;
}

__global__ void block_offsets(const int *counts, int *offsets, int *totals)
{
    __shared__ int sums[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int i = blockIdx.x * 1024 + threadIdx.x;
    const int mine = counts[i];
    int run = inclusive_warp(mine, lane);
    if (lane == 31) sums[warp] = run;
    __syncthreads();
    if (warp == 0) sums[lane] = inclusive_warp(sums[lane], lane);
    __syncthreads();
    if (warp > 0) run += sums[warp - 1];
    offsets[i] = run - mine;
    if (threadIdx.x == 1023) totals[blockIdx.x] = run;
}

int main()
{
    const int n = 1 << 20;
    int *counts, *offsets, *totals;
    cudaMalloc(&counts, n * sizeof(int));
    cudaMalloc(&offsets, n * sizeof(int));
    cudaMalloc(&totals, n / 1024 * sizeof(int));
    block_offsets<<<n / 1024, 1024>>>(counts, offsets, totals);
    cudaDeviceSynchronize();
    return 0;
}
