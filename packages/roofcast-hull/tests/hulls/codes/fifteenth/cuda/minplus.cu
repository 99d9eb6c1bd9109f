// Product of two matrices in the tropical semiring: shortest ways of two stages.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define N 512
#define TS 16

__global__ void min_plus(const float *A, const float *B, float *C)
{
    __shared__ float a[TS][TS], b[TS][TS];
    int row = blockIdx.y * TS + threadIdx.y;
    int col = blockIdx.x * TS + threadIdx.x;
    float best = FLT_MAX;
    for (int k0 = 0; k0 < N; k0 += TS) {
        a[threadIdx.y][threadIdx.x] = A[row * N + k0 + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
        __syncthreads();
        for (int k = 0; k < TS; ++k)
            best = fminf(best, a[threadIdx.y][k] + b[k][threadIdx.x]);
        __syncthreads();
    }
    C[row * N + col] = best;
}

int main()
{
    size_t bytes = N * N * sizeof(float);
    float *h = (float *)malloc(bytes);
    for (int i = 0; i < N * N; ++i) h[i] = 1.f + rand() % 1000;
    float *A, *B, *C;
    cudaMalloc(&A, bytes); cudaMalloc(&B, bytes); cudaMalloc(&C, bytes);
    cudaMemcpy(A, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B, h, bytes, cudaMemcpyHostToDevice);
    dim3 block(TS, TS), grid(N / TS, N / TS);
    min_plus<<<grid, block>>>(A, B, C);
    cudaMemcpy(h, C, bytes, cudaMemcpyDeviceToHost);
    printf("%g\n", h[N + 1]);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
