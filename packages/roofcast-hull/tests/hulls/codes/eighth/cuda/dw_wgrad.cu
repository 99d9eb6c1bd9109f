// Gradient of the 3x3 weights of a depthwise convolution (NCHW, stride 1, padding 1): one block per channel.
// Blind set: class by hand; taps inside of the plane counted in Python.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace {
constexpr int kBatch = 32;
constexpr int kChannels = 256;
constexpr int kH = 56;
constexpr int kW = 56;
constexpr int kBlock = 512;

void check(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        std::exit(1);
    }
}
}  // namespace
#define CHECK(x) check((x), __LINE__)

template <typename scalar_t, int KSIZE>
__global__ void depthwise_weight_grad(const scalar_t *__restrict__ grad_out, const scalar_t *__restrict__ input,
                                      scalar_t *__restrict__ grad_weight, int batch, int channels, int height, int width)
{
    const int ch = blockIdx.x;
    const int plane = height * width;
    scalar_t acc[KSIZE * KSIZE] = {};

    for (int idx = threadIdx.x; idx < batch * plane; idx += blockDim.x) {
        const int n = idx / plane;
        const int pos = idx - n * plane;
        const int h = pos / width;
        const int w = pos - h * width;
        const scalar_t *in = input + (n * channels + ch) * plane;
        const scalar_t go = grad_out[(n * channels + ch) * plane + pos];
#pragma unroll
        for (int kh = 0; kh < KSIZE; ++kh) {
#pragma unroll
            for (int kw = 0; kw < KSIZE; ++kw) {
                const int ih = h + kh - KSIZE / 2;
                const int iw = w + kw - KSIZE / 2;
                if (ih >= 0 && ih < height && iw >= 0 && iw < width)
                    acc[kh * KSIZE + kw] += go * in[ih * width + iw];
            }
        }
    }

    __shared__ scalar_t partial[kBlock / 32][KSIZE * KSIZE];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
#pragma unroll
    for (int k = 0; k < KSIZE * KSIZE; ++k) {
        scalar_t v = acc[k];
        for (int d = 16; d; d >>= 1)
            v += __shfl_down_sync(~0u, v, d);
        if (lane == 0)
            partial[warp][k] = v;
    }
    __syncthreads();
    if (threadIdx.x < KSIZE * KSIZE) {
        scalar_t v = 0;
        for (int i = 0; i < kBlock / 32; ++i)
            v += partial[i][threadIdx.x];
        grad_weight[ch * KSIZE * KSIZE + threadIdx.x] = v;
    }
}

__global__ void fillKernel(float *p, int n, float s)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = s * ((i * 13) % 29 - 14);
}

int main()
{
    const int count = kBatch * kChannels * kH * kW;
    float *x, *dy, *dw;
    CHECK(cudaMalloc(&x, count * sizeof(float)));
    CHECK(cudaMalloc(&dy, count * sizeof(float)));
    CHECK(cudaMalloc(&dw, kChannels * 9 * sizeof(float)));
    fillKernel<<<512, 256>>>(x, count, 0.1f);
    fillKernel<<<512, 256>>>(dy, count, 0.01f);
    depthwise_weight_grad<float, 3><<<kChannels, kBlock>>>(dy, x, dw, kBatch, kChannels, kH, kW);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float h[9];
    CHECK(cudaMemcpy(h, dw, sizeof(h), cudaMemcpyDeviceToHost));
    for (float v : h) std::printf("%g ", v);
    std::printf("\n");
    CHECK(cudaFree(x));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(dw));
    return 0;
}
