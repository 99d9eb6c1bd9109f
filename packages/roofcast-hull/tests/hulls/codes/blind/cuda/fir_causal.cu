#include <cuda_runtime.h>

__global__ void fir(const float *__restrict__ x, const float *__restrict__ h, float *__restrict__ y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < taps; k++)
        if (i - k >= 0) acc += h[k] * x[i - k];
    y[i] = acc;
}

int main()
{
    int n = 1 << 20, taps = 64;
    float *x, *h, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&h, taps * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    fir<<<(n + 255) / 256, 256>>>(x, h, y, n, taps);
    cudaDeviceSynchronize();
}
