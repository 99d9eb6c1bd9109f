#include <cuda_runtime.h>

__global__ void gemvT(const float *__restrict__ A, const float *__restrict__ x, float *__restrict__ y, const int rows, const int cols)
{
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    if (j < cols) {
        float t = 0;
        const float *p = A + j;
        for (int i = 0; i < rows; ++i, p += cols) t += *p * x[i];
        y[j] = t;
    }
}

int main()
{
    enum { ROWS = 3000, COLS = 4096 };
    float *A, *x, *y;
    cudaMalloc(&A, ROWS * COLS * sizeof(float));
    cudaMalloc(&x, ROWS * sizeof(float));
    cudaMalloc(&y, COLS * sizeof(float));
    gemvT<<<COLS / 64, 64>>>(A, x, y, ROWS, COLS);
    cudaDeviceSynchronize();
}
