#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdio>

// y = a x + b y, two numbers of 16 bits at once
__global__ void axpby(const __nv_bfloat162* x, __nv_bfloat162* y, float a, float b, int pairs)
{
    const __nv_bfloat162 a2 = __float2bfloat162_rn(a);
    const __nv_bfloat162 b2 = __float2bfloat162_rn(b);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) y[i] = __hfma2(a2, x[i], __hmul2(b2, y[i]));
}

int main()
{
    const int n = 3000000;
    __nv_bfloat16 *x, *y;
    cudaMallocManaged(&x, n * sizeof(__nv_bfloat16));
    cudaMallocManaged(&y, n * sizeof(__nv_bfloat16));
    for (int i = 0; i < n; ++i) {
        x[i] = __float2bfloat16(1.0f);
        y[i] = __float2bfloat16(0.5f);
    }
    const int pairs = n / 2;
    axpby<<<(pairs + 255) / 256, 256>>>(reinterpret_cast<__nv_bfloat162*>(x), reinterpret_cast<__nv_bfloat162*>(y), 0.9f, 0.1f, pairs);
    cudaDeviceSynchronize();
    printf("%f\n", __bfloat162float(y[0]));
    cudaFree(x);
    cudaFree(y);
    return 0;
}
