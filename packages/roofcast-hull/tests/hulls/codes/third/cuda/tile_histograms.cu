// First step of adaptive equalisation: a histogram of each tile.
#include <cuda_runtime.h>

constexpr int kSide = 1024, kTile = 64, kBins = 256;

__global__ void tile_histograms(const unsigned char *image, unsigned int *histograms)
{
    __shared__ unsigned int bins[kBins];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int b = t; b < kBins; b += blockDim.x * blockDim.y) bins[b] = 0;
    __syncthreads();
    const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    for (int y = threadIdx.y; y < kTile; y += blockDim.y)
        for (int x = threadIdx.x; x < kTile; x += blockDim.x)
            atomicAdd(&bins[image[(top + y) * kSide + left + x]], 1u);
    __syncthreads();
    unsigned int *mine = histograms + (blockIdx.y * gridDim.x + blockIdx.x) * kBins;
    for (int b = t; b < kBins; b += blockDim.x * blockDim.y) mine[b] = bins[b];
}

int main()
{
    unsigned char *image;
    unsigned int *histograms;
    cudaMalloc(&image, kSide * kSide);
    cudaMalloc(&histograms, (kSide / kTile) * (kSide / kTile) * kBins * sizeof(unsigned int));
    tile_histograms<<<dim3(kSide / kTile, kSide / kTile), dim3(32, 8)>>>(image, histograms);
    cudaDeviceSynchronize();
    return 0;
}
