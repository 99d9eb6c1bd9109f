// One level of a Gaussian pyramid for panoramas: 5x5 binomial, every second pixel. The source has a border of two.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OUT 1024
#define IN (2 * OUT + 3)

__global__ void down5(const float *__restrict__ in, float *__restrict__ out)
{
    const float w[5] = {1.f, 4.f, 6.f, 4.f, 1.f};
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= OUT || y >= OUT) return;
    const float *corner = in + (2 * y) * IN + 2 * x;
    float sum = 0.f;
#pragma unroll
    for (int j = 0; j < 5; j++) {
        float line = 0.f;
#pragma unroll
        for (int i = 0; i < 5; i++)
            line += w[i] * corner[j * IN + i];
        sum += w[j] * line;
    }
    out[y * OUT + x] = sum / 256.f;
}

// residual of the level against a plain repetition of the smaller one
__global__ void band(const float *__restrict__ in, const float *__restrict__ small, float *__restrict__ detail)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 * OUT && y < 2 * OUT)
        detail[y * 2 * OUT + x] = in[(y + 2) * IN + x + 2] - small[(y / 2) * OUT + x / 2];
}

int main()
{
    float *h = (float *)malloc(sizeof(float) * IN * IN);
    for (int i = 0; i < IN * IN; i++) h[i] = (float)(rand() & 255);
    float *in, *out, *detail;
    cudaMalloc(&in, sizeof(float) * IN * IN);
    cudaMalloc(&out, sizeof(float) * OUT * OUT);
    cudaMalloc(&detail, sizeof(float) * 4 * OUT * OUT);
    cudaMemcpy(in, h, sizeof(float) * IN * IN, cudaMemcpyHostToDevice);
    dim3 b(32, 4);
    down5<<<dim3(OUT / 32, OUT / 4), b>>>(in, out);
    band<<<dim3(2 * OUT / 32, 2 * OUT / 4), b>>>(in, out, detail);
    cudaMemcpy(h, out, sizeof(float) * OUT * OUT, cudaMemcpyDeviceToHost);
    printf("%f\n", h[OUT + 1]);
    free(h);
    return 0;
}
