#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

constexpr int T = 16;

// C = X^T Y of two tall arrays of samples
template <int TILE>
__global__ void cross_product(const double* X, const double* Y, double* C, int samples, int p, int q)
{
    __shared__ double xs[TILE][TILE];
    __shared__ double ys[TILE][TILE];
    const int i = blockIdx.y * TILE + threadIdx.y;
    const int j = blockIdx.x * TILE + threadIdx.x;
    double sum = 0.0;
    for (int s = 0; s < samples; s += TILE) {
        xs[threadIdx.y][threadIdx.x] = X[(s + threadIdx.y) * p + blockIdx.y * TILE + threadIdx.x];
        ys[threadIdx.y][threadIdx.x] = Y[(s + threadIdx.y) * q + j];
        __syncthreads();
#pragma unroll
        for (int t = 0; t < TILE; ++t) sum += xs[t][threadIdx.y] * ys[t][threadIdx.x];
        __syncthreads();
    }
    C[i * q + j] = sum;
}

int main()
{
    const int samples = 6000, p = 96, q = 80;
    double* h = (double*)malloc(sizeof(double) * samples * p);
    for (int i = 0; i < samples * p; ++i) h[i] = (i % 19) * 0.1;
    double *X, *Y, *C;
    cudaMalloc(&X, sizeof(double) * samples * p);
    cudaMalloc(&Y, sizeof(double) * samples * q);
    cudaMalloc(&C, sizeof(double) * p * q);
    cudaMemcpy(X, h, sizeof(double) * samples * p, cudaMemcpyHostToDevice);
    cudaMemcpy(Y, h, sizeof(double) * samples * q, cudaMemcpyHostToDevice);
    cross_product<T><<<dim3(q / T, p / T), dim3(T, T)>>>(X, Y, C, samples, p, q);
    cudaMemcpy(h, C, sizeof(double) * p * q, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(X);
    cudaFree(Y);
    cudaFree(C);
    free(h);
}
