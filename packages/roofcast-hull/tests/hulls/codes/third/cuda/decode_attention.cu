/* One token of a decoder: scores of the new query against the cache, and the mix of values. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define D 64
#define CTX 2048
#define NH 16

__global__ void decode_scores(const float *q, const float *k, float *scores, float scale)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int h = blockIdx.y;
    __shared__ float qs[D];
    if (threadIdx.x < D)
        qs[threadIdx.x] = q[h * D + threadIdx.x];
    __syncthreads();
    const float *kt = k + ((size_t)h * CTX + t) * D;
    float dot = 0.0f;
#pragma unroll
    for (int d = 0; d < D; d++)
        dot += qs[d] * kt[d];
    scores[h * CTX + t] = dot * scale;
}

__global__ void decode_mix(const float *p, const float *v, float *out)
{
    const int h = blockIdx.x;
    const int d = threadIdx.x;
    float acc = 0.0f;
    for (int t = 0; t < CTX; t++)
        acc += p[h * CTX + t] * v[(h * CTX + t) * D + d];
    out[h * D + d] = acc;
}

int main(void)
{
    float *q, *k, *v, *s, *o;
    cudaMalloc((void **)&q, NH * D * sizeof *q);
    cudaMalloc((void **)&k, NH * CTX * D * sizeof *k);
    cudaMalloc((void **)&v, NH * CTX * D * sizeof *v);
    cudaMalloc((void **)&s, NH * CTX * sizeof *s);
    cudaMalloc((void **)&o, NH * D * sizeof *o);
    dim3 grid(CTX / 128, NH);
    decode_scores<<<grid, 128>>>(q, k, s, 0.125f);
    decode_mix<<<NH, D>>>(s, v, o);
    cudaDeviceSynchronize();
    printf("done\n");
    return EXIT_SUCCESS;
}
