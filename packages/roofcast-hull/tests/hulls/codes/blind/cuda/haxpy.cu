#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void haxpy2(const __half2 *x, __half2 *y, __half2 alpha, int n2) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n2) y[i] = __hfma2(alpha, x[i], y[i]);
}

int main() {
    int n = 2 * 1024 * 1024;
    __half *x, *y;
    cudaMalloc(&x, n * sizeof(__half));
    cudaMalloc(&y, n * sizeof(__half));
    __half2 alpha = __float2half2_rn(0.25f);
    int n2 = n / 2;
    haxpy2<<<(n2 + 127) / 128, 128>>>(reinterpret_cast<const __half2 *>(x), reinterpret_cast<__half2 *>(y), alpha, n2);
    cudaDeviceSynchronize();
    return 0;
}
