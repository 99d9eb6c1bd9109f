#include <cuda_runtime.h>
#include <stdio.h>

#define LOGN 18
#define N (1 << LOGN)

// the order in which a transform of radix 2 begins
__global__ void bit_reverse(const float2 *in, float2 *out)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int j = __brev(i) >> (32 - LOGN);
    out[j] = in[i];
}

int main()
{
    float2 *in, *out;
    cudaMallocManaged(&in, N * sizeof(float2));
    cudaMallocManaged(&out, N * sizeof(float2));
    for (int i = 0; i < N; i++) in[i] = make_float2((float)i, 0.f);
    bit_reverse<<<N / 256, 256>>>(in, out);
    cudaDeviceSynchronize();
    printf("%f\n", out[1].x);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
