#include <cfloat>
#include <cuda_runtime.h>
#define THREADS 256

__global__ void softmax(const float *x, float *y, int cols) {
    __shared__ float buf[THREADS];
    const float *row = x + blockIdx.x * cols;
    float *out = y + blockIdx.x * cols;
    int tid = threadIdx.x;

    float m = -FLT_MAX;
    for (int i = tid; i < cols; i += blockDim.x) m = fmaxf(m, row[i]);
    buf[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();

    float sum = 0.f;
    for (int i = tid; i < cols; i += blockDim.x) sum += expf(row[i] - m);
    buf[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) buf[tid] += buf[tid + s];
        __syncthreads();
    }
    sum = buf[0];

    for (int i = tid; i < cols; i += blockDim.x) out[i] = expf(row[i] - m) / sum;
}

int main() {
    int rows = 4096, cols = 1024;
    float *x, *y;
    cudaMalloc(&x, sizeof(float) * rows * cols);
    cudaMalloc(&y, sizeof(float) * rows * cols);
    softmax<<<rows, THREADS>>>(x, y, cols);
    cudaDeviceSynchronize();
}
