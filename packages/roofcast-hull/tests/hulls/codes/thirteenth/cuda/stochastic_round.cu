// Decayed master weights rounded to bf16 by noise drawn beforehand.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 6000000

__global__ void round_down_up(uint16_t *dst, const float *src, const uint32_t *noise, float keep)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        uint32_t u = __float_as_uint(src[i] * keep);
        u += noise[i] & 0xffffu;
        dst[i] = (uint16_t)(u >> 16);
    }
}

int main(void)
{
    float *w;
    uint32_t *r;
    uint16_t *o;
    cudaMallocManaged(&w, N * sizeof(float));
    cudaMallocManaged(&r, N * sizeof(uint32_t));
    cudaMallocManaged(&o, N * sizeof(uint16_t));
    for (int i = 0; i < N; ++i) {
        w[i] = (float)rand() / RAND_MAX - 0.5f;
        r[i] = (uint32_t)rand() * 2654435761u;
    }
    round_down_up<<<1056, 256>>>(o, w, r, 0.9999f);
    cudaDeviceSynchronize();
    printf("%u\n", o[17]);
    return 0;
}
