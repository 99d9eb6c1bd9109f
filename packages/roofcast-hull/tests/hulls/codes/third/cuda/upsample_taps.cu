// Doubles the sampling rate: two phases of a filter of four taps.
#include <cuda_runtime.h>

__constant__ float taps[4];

__global__ void upsample_by_two(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    float left = in[i - 1], here = in[i], right = in[i + 1];
    out[2 * i] = taps[1] * here + taps[3] * left;
    out[2 * i + 1] = taps[2] * here + taps[0] * right;
}

int main()
{
    const int n = 1 << 20;
    const float h[4] = {-0.0625f, 0.5625f, 0.5625f, -0.0625f};
    cudaMemcpyToSymbol(taps, h, sizeof h);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 2 * n * sizeof(float));
    upsample_by_two<<<n / 256, 256>>>(in, out, n);
    cudaDeviceSynchronize();
    return 0;
}
