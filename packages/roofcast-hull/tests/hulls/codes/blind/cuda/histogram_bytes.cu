#include <cuda_runtime.h>

#define BINS 256

__global__ void histogram256(unsigned int *hist, const unsigned char *data, unsigned int size)
{
    __shared__ unsigned int local[BINS];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned int p = blockIdx.x * blockDim.x + threadIdx.x; p < size; p += blockDim.x * gridDim.x)
        atomicAdd(&local[data[p]], 1u);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const unsigned int size = 32u << 20;
    unsigned char *data;
    unsigned int *hist;
    cudaMalloc((void **)&data, size);
    cudaMalloc((void **)&hist, BINS * sizeof(unsigned int));
    cudaMemset(hist, 0, BINS * sizeof(unsigned int));
    histogram256<<<240, BINS>>>(hist, data, size);
    cudaDeviceSynchronize();
    return 0;
}
