// Peak envelope with exponential release for many audio channels, then a soft limiter.
// Samples are interleaved: frame-major, so that neighbouring threads read neighbouring channels.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

enum { CHANNELS = 8192, FRAMES = 1024 };

__global__ void follow(const float *in, float *env, float release)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float e = 0.f;
    const float *src = in + c;
    float *dst = env + c;
    int left = FRAMES;
    while (left-- > 0) {
        e = fmaxf(fabsf(*src), e * release);
        *dst = e;
        src += CHANNELS;
        dst += CHANNELS;
    }
}

__global__ void limit(float *io, const float *env, float threshold)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float gain = threshold / fmaxf(env[i], threshold);
    io[i] *= gain;
}

int main(void)
{
    size_t n = (size_t)CHANNELS * FRAMES;
    float *h = (float *)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++) h[i] = sinf(0.01f * (i % 10007));
    float *x, *e;
    cudaMalloc((void **)&x, n * sizeof(float));
    cudaMalloc((void **)&e, n * sizeof(float));
    cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    follow<<<CHANNELS / 64, 64>>>(x, e, 0.9995f);
    limit<<<n / 256, 256>>>(x, e, 0.5f);
    cudaMemcpy(h, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[n - 1]);
    return 0;
}
