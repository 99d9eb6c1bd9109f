#include <climits>
#include <cuda_runtime.h>

struct Stats {
    unsigned long long sum;
    unsigned long long squares;
    int smallest;
    int largest;
};

__global__ void statistics(const int *__restrict__ data, int count, Stats *stats)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int v = data[i];
    atomicAdd(&stats->sum, (unsigned long long)v);
    atomicAdd(&stats->squares, (unsigned long long)v * v);
    atomicMin(&stats->smallest, v);
    atomicMax(&stats->largest, v);
}

int main()
{
    const int count = 1 << 23;
    int *data;
    Stats host = {0, 0, INT_MAX, INT_MIN}, *stats;
    cudaMalloc(&data, count * sizeof(int));
    cudaMalloc(&stats, sizeof(Stats));
    cudaMemcpy(stats, &host, sizeof(Stats), cudaMemcpyHostToDevice);
    statistics<<<count / 256, 256>>>(data, count, stats);
    cudaMemcpy(&host, stats, sizeof(Stats), cudaMemcpyDeviceToHost);
    return 0;
}
