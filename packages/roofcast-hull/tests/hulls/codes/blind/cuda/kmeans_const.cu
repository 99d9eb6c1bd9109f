#include <cfloat>
#include <cuda_runtime.h>

#define K 16
#define D 8
__constant__ float centroids[K * D];

__global__ void assign(const float *points, int *labels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float nearest = FLT_MAX;
    for (int k = 0; k < K; ++k) {
        float dist = 0;
        for (int d = 0; d < D; ++d) {
            float diff = points[d * n + i] - centroids[k * D + d];
            dist += diff * diff;
        }
        if (dist < nearest) {
            nearest = dist;
            best = k;
        }
    }
    labels[i] = best;
}

__global__ void accumulate(const float *points, const int *labels, float *sums, int *sizes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = labels[i];
    for (int d = 0; d < D; ++d) atomicAdd(&sums[k * D + d], points[d * n + i]);
    atomicAdd(&sizes[k], 1);
}

__global__ void divide(float *means, const float *sums, const int *sizes)
{
    int k = blockIdx.x, d = threadIdx.x;
    means[k * D + d] = sums[k * D + d] / max(1, sizes[k]);
}

int main()
{
    const int n = 200000;
    float *points, *sums, *means;
    int *labels, *sizes;
    cudaMalloc(&points, sizeof(float) * n * D);
    cudaMalloc(&labels, sizeof(int) * n);
    cudaMalloc(&sums, sizeof(float) * K * D);
    cudaMalloc(&means, sizeof(float) * K * D);
    cudaMalloc(&sizes, sizeof(int) * K);
    const int blocks = (n + 127) / 128;
    for (int iteration = 0; iteration < 20; ++iteration) {
        cudaMemset(sums, 0, sizeof(float) * K * D);
        cudaMemset(sizes, 0, sizeof(int) * K);
        assign<<<blocks, 128>>>(points, labels, n);
        accumulate<<<blocks, 128>>>(points, labels, sums, sizes, n);
        divide<<<K, D>>>(means, sums, sizes);
        cudaMemcpyToSymbol(centroids, means, sizeof(float) * K * D, 0, cudaMemcpyDeviceToDevice);
    }
    return 0;
}
