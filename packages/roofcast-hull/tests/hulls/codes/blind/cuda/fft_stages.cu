#include <cuda_runtime.h>
#include <math_constants.h>

/* one radix-2 stage, in place, after bit reversal */
__global__ void butterfly(float2 *x, int half)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int j = t & (half - 1);
    int i = ((t - j) << 1) + j;
    float s, c;
    sincosf(-CUDART_PI_F * j / half, &s, &c);
    float2 a = x[i];
    float2 b = x[i + half];
    float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    x[i] = make_float2(a.x + w.x, a.y + w.y);
    x[i + half] = make_float2(a.x - w.x, a.y - w.y);
}

int main()
{
    const int n = 1 << 16;
    float2 *x;
    cudaMalloc(&x, n * sizeof(float2));
    for (int half = 1; half < n; half <<= 1)
        butterfly<<<n / 512, 256>>>(x, half);
    cudaDeviceSynchronize();
}
