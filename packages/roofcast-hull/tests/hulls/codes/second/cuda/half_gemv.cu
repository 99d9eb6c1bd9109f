// Weights of half precision times a vector, a warp for each row.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask, 32);
    return v;
}

__global__ void gemv_fp16(const __half2 *__restrict__ w, const __half2 *__restrict__ x, __half *__restrict__ y, int rows,
                          int pairs)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= rows) return;
    float sum = 0.0f;
    for (int k = lane; k < pairs; k += 32) {
        const float2 a = __half22float2(w[warp * pairs + k]);
        const float2 b = __half22float2(x[k]);
        sum += a.x * b.x + a.y * b.y;
    }
    sum = warp_sum(sum);
    if (lane == 0) y[warp] = __float2half(sum);
}

int main()
{
    const int rows = 4096, cols = 4096;
    __half2 *w, *x;
    __half *y;
    cudaMalloc(&w, (size_t)rows * cols * sizeof(__half));
    cudaMalloc(&x, cols * sizeof(__half));
    cudaMalloc(&y, rows * sizeof(__half));
    gemv_fp16<<<rows / 4, 128>>>(w, x, y, rows, cols / 2);
    cudaDeviceSynchronize();
    return 0;
}
