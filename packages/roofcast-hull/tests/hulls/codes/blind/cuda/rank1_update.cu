#include <cuda_runtime.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void dger(int m, int n, double alpha, const double *x, const double *y, double *A, int lda)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < m; r += gridDim.y * blockDim.y)
        if (c < n) A[r * lda + c] += alpha * x[r] * y[c];
}

int main()
{
    int m = 2000, n = 3000;
    double *x, *y, *A;
    cudaMalloc(&x, m * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMalloc(&A, sizeof(double) * m * n);
    dim3 block(64, 4);
    dim3 grid(CEIL_DIV(n, 64), 125);
    dger<<<grid, block>>>(m, n, -1.0, x, y, A, n);
    cudaDeviceSynchronize();
    return 0;
}
