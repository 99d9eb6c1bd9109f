#include <cuda_runtime.h>
#include <stdint.h>
#define BINS 256

__global__ void histogram(const uint8_t *buffer, long size, unsigned int *histo) {
    __shared__ unsigned int temp[BINS];
    temp[threadIdx.x] = 0;
    __syncthreads();
    long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    int offset = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

int main(int argc, char *argv[]) {
    const long SIZE = 16 * 1024 * 1024;
    uint8_t *dev_buffer;
    unsigned int *dev_histo;
    cudaMalloc((void **)&dev_buffer, SIZE);
    cudaMalloc((void **)&dev_histo, BINS * sizeof(int));
    cudaMemset(dev_histo, 0, BINS * sizeof(int));
    histogram<<<512, BINS>>>(dev_buffer, SIZE, dev_histo);
    unsigned int histo[BINS];
    cudaMemcpy(histo, dev_histo, BINS * sizeof(int), cudaMemcpyDeviceToHost);
    return 0;
}
