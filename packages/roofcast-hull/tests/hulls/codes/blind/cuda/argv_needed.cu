#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void cube(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] * in[i];
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s n\n", argv[0]);
        return 1;
    }
    int n = atoi(argv[1]);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cube<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaDeviceSynchronize();
    return 0;
}
