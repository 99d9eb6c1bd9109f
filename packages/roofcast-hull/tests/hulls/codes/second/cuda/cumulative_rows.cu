// Running sums of rows, a block each.
#include <cuda_runtime.h>

#define LENGTH 1024

__global__ void running_sums(const float *in, float *out)
{
    __shared__ float line[LENGTH];
    const int t = threadIdx.x;
    line[t] = in[blockIdx.x * LENGTH + t];
    for (int offset = 1; offset < LENGTH; offset *= 2) {
        __syncthreads();
        float before = 0.f;
        if (t >= offset) before = line[t - offset];
        __syncthreads();
        if (t >= offset) line[t] += before;
    }
    out[blockIdx.x * LENGTH + t] = line[t];
}

int main()
{
    const int rows = 512;
    float *in, *out;
    cudaMalloc(&in, rows * LENGTH * sizeof(float));
    cudaMalloc(&out, rows * LENGTH * sizeof(float));
    running_sums<<<rows, LENGTH>>>(in, out);
    cudaDeviceSynchronize();
    return 0;
}
