#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void dgemm(int m, int n, int k, double alpha, const double *A, const double *B, double beta, double *C)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        double sum = 0.0;
        for (int p = 0; p < k; p++)
            sum += A[row * k + p] * B[p * n + col];
        C[row * n + col] = alpha * sum + beta * C[row * n + col];
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 512;
    int n = argc > 2 ? atoi(argv[2]) : 768;
    int k = argc > 3 ? atoi(argv[3]) : 1024;
    double *A, *B, *C;
    cudaMalloc(&A, (size_t)m * k * sizeof(double));
    cudaMalloc(&B, (size_t)k * n * sizeof(double));
    cudaMalloc(&C, (size_t)m * n * sizeof(double));
    dim3 threads(16, 16);
    dim3 grid((n + 15) / 16, (m + 15) / 16);
    dgemm<<<grid, threads>>>(m, n, k, 1.5, A, B, 0.5, C);
    cudaDeviceSynchronize();
    return 0;
}
