#include <cuda_runtime.h>
#include <cstdio>

// mean over height and width of each map: one warp a map
__global__ void global_avg_pool(const float* maps, float* means, int n_maps, int area)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x % warpSize;
    if (warp >= n_maps)
        return;
    float acc = 0.0f;
    for (int p = lane; p < area; p += warpSize)
        acc += maps[warp * area + p];
    for (int mask = 16; mask >= 1; mask >>= 1)
        acc += __shfl_xor_sync(0xffffffff, acc, mask);
    if (lane == 0)
        means[warp] = acc / area;
}

int main()
{
    const int batch = 32, channels = 512, side = 28;
    const int n_maps = batch * channels;
    float *maps, *means;
    cudaMallocManaged(&maps, sizeof(float) * n_maps * side * side);
    cudaMallocManaged(&means, sizeof(float) * n_maps);
    for (int i = 0; i < n_maps * side * side; ++i)
        maps[i] = (i * 31 % 101) * 0.01f;
    const int threads = 128;
    const int blocks = (n_maps * 32 + threads - 1) / threads;
    global_avg_pool<<<blocks, threads>>>(maps, means, n_maps, side * side);
    cudaDeviceSynchronize();
    printf("%f %f\n", means[0], means[n_maps - 1]);
    cudaFree(maps);
    cudaFree(means);
    return 0;
}
