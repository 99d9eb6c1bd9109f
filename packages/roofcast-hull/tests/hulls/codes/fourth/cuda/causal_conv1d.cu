// Short filter along time of each channel of a state-space model; what lies before the beginning is zero.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

template <int WIDTH>
__global__ void causal_conv1d(const float* x, const float* weight, const float* bias, float* y, int channels, int length)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int c = blockIdx.y;
    if (t >= length) return;
    float acc = bias[c];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
        const int from = t + k - (WIDTH - 1);
        const float v = from >= 0 ? x[c * length + from] : 0.0f;
        acc += weight[c * WIDTH + k] * v;
    }
    y[c * length + t] = acc;
}

int main()
{
    const int channels = 768, length = 1000, width = 4;
    std::vector<float> h(channels * length, 0.3f);
    float *x, *w, *b, *y;
    cudaMalloc(&x, h.size() * sizeof(float));
    cudaMalloc(&y, h.size() * sizeof(float));
    cudaMalloc(&w, channels * width * sizeof(float));
    cudaMalloc(&b, channels * sizeof(float));
    cudaMemcpy(x, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(w, h.data(), channels * width * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), channels * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((length + 127) / 128, channels);
    causal_conv1d<width><<<grid, 128>>>(x, w, b, y, channels, length);
    cudaMemcpy(h.data(), y, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(x);
    cudaFree(w);
    cudaFree(b);
    cudaFree(y);
    return 0;
}
