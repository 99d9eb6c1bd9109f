#include <cuda_runtime.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// smallest and largest level of an image of 16 bits, for its stretch
__global__ void extremes(const unsigned short *px, int n, int *lowest, int *highest)
{
    __shared__ int lo, hi;
    if (threadIdx.x == 0) {
        lo = INT_MAX;
        hi = INT_MIN;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int v = px[i];
        atomicMin(&lo, v);
        atomicMax(&hi, v);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(lowest, lo);
        atomicMax(highest, hi);
    }
}

int main()
{
    const int n = 1500 * 1600;
    unsigned short *h = (unsigned short *)malloc(n * sizeof(unsigned short));
    for (int i = 0; i < n; i++) h[i] = (unsigned short)(1000 + rand() % 30000);
    unsigned short *px;
    int *bounds, start[2] = {INT_MAX, INT_MIN};
    cudaMalloc((void **)&px, n * sizeof(unsigned short));
    cudaMalloc((void **)&bounds, sizeof(start));
    cudaMemcpy(px, h, n * sizeof(unsigned short), cudaMemcpyHostToDevice);
    cudaMemcpy(bounds, start, sizeof(start), cudaMemcpyHostToDevice);
    extremes<<<120, 256>>>(px, n, &bounds[0], &bounds[1]);
    cudaMemcpy(start, bounds, sizeof(start), cudaMemcpyDeviceToHost);
    printf("%d %d\n", start[0], start[1]);
    cudaFree(px);
    cudaFree(bounds);
    free(h);
    return 0;
}
