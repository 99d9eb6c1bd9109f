// Rows to bytes by their largest number.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void quantise_rows(const float *x, int8_t *q, float *scale, int cols)
{
    __shared__ float largest[256];
    const float *row = x + (size_t)blockIdx.x * cols;
    float m = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, fabsf(row[c]));
    largest[threadIdx.x] = m;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + s]);
        __syncthreads();
    }
    const float factor = 127.f / largest[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        q[(size_t)blockIdx.x * cols + c] = (int8_t)rintf(row[c] * factor);
    if (threadIdx.x == 0) scale[blockIdx.x] = largest[0] / 127.f;
}

int main()
{
    const int rows = 2048, cols = 4096;
    float *x, *scale;
    int8_t *q;
    cudaMalloc(&x, sizeof(float) * rows * cols);
    cudaMalloc(&q, rows * cols);
    cudaMalloc(&scale, sizeof(float) * rows);
    quantise_rows<<<rows, 256>>>(x, q, scale, cols);
    cudaDeviceSynchronize();
    return 0;
}
