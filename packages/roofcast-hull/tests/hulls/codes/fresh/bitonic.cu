#include <cuda_runtime.h>
#define THREADS 512
#define BLOCKS 8192
#define NUM_VALS (THREADS * BLOCKS)

__global__ void bitonic_sort_step(float *dev_values, int j, int k) {
    unsigned int i, ixj;
    i = threadIdx.x + blockDim.x * blockIdx.x;
    ixj = i ^ j;
    if (ixj > i) {
        if ((i & k) == 0) {
            if (dev_values[i] > dev_values[ixj]) {
                float temp = dev_values[i];
                dev_values[i] = dev_values[ixj];
                dev_values[ixj] = temp;
            }
        }
        if ((i & k) != 0) {
            if (dev_values[i] < dev_values[ixj]) {
                float temp = dev_values[i];
                dev_values[i] = dev_values[ixj];
                dev_values[ixj] = temp;
            }
        }
    }
}

int main() {
    float *dev_values;
    size_t size = NUM_VALS * sizeof(float);
    cudaMalloc((void **)&dev_values, size);
    dim3 blocks(BLOCKS, 1), threads(THREADS, 1);
    for (int k = 2; k <= NUM_VALS; k <<= 1)
        for (int j = k >> 1; j > 0; j = j >> 1) bitonic_sort_step<<<blocks, threads>>>(dev_values, j, k);
    cudaDeviceSynchronize();
}
