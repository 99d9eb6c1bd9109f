#include <cuda_runtime.h>

__global__ void keep_positive(const float *in, float *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.f) {
        int at = atomicAdd(count, 1);
        out[at] = in[i];
    }
}

int main()
{
    const int n = 4000000;
    float *in, *out;
    int *count;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    keep_positive<<<(n + 255) / 256, 256>>>(in, out, count, n);
    cudaDeviceSynchronize();
}
