// Acceleration structure for a volume renderer: smallest and largest density of every 8^3 brick, and its opacity flag.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define DIM 256
#define BR 8
#define NB (DIM / BR)

__global__ void brick_range(const unsigned short *vol, unsigned short *lo, unsigned short *hi)
{
    __shared__ unsigned short smin[BR * BR * BR], smax[BR * BR * BR];
    const int t = (threadIdx.z * BR + threadIdx.y) * BR + threadIdx.x;
    const int x = blockIdx.x * BR + threadIdx.x;
    const int y = blockIdx.y * BR + threadIdx.y;
    const int z = blockIdx.z * BR + threadIdx.z;
    smin[t] = smax[t] = vol[((size_t)z * DIM + y) * DIM + x];
    __syncthreads();
    for (int s = BR * BR * BR / 2; s > 0; s >>= 1) {
        if (t < s) {
            smin[t] = min(smin[t], smin[t + s]);
            smax[t] = max(smax[t], smax[t + s]);
        }
        __syncthreads();
    }
    if (t == 0) {
        int b = (blockIdx.z * NB + blockIdx.y) * NB + blockIdx.x;
        lo[b] = smin[0];
        hi[b] = smax[0];
    }
}

__global__ void mark_active(const unsigned short *lo, const unsigned short *hi, unsigned char *active,
                            unsigned short level, unsigned short width)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < NB * NB * NB)
        active[b] = hi[b] >= level && lo[b] <= level + width;
}

int main()
{
    unsigned short *vol, *lo, *hi; unsigned char *act;
    size_t n = (size_t)DIM * DIM * DIM;
    cudaMallocManaged(&vol, n * sizeof(unsigned short));
    cudaMallocManaged(&lo, NB * NB * NB * sizeof(unsigned short));
    cudaMallocManaged(&hi, NB * NB * NB * sizeof(unsigned short));
    cudaMallocManaged(&act, NB * NB * NB);
    for (size_t i = 0; i < n; i++) vol[i] = (unsigned short)((i * 31 >> 6) & 0x0fff);
    brick_range<<<dim3(NB, NB, NB), dim3(BR, BR, BR)>>>(vol, lo, hi);
    mark_active<<<NB * NB * NB / 256, 256>>>(lo, hi, act, 900, 300);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", lo[9], hi[9], act[9]);
    return 0;
}
