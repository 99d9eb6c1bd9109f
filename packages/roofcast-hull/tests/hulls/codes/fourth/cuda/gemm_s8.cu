// C = A B^T with bytes four at once.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 16

__global__ void gemm_s8(const int *A, const int *B, int *C, int M, int N, int K4)
{
    __shared__ int As[TILE][TILE];
    __shared__ int Bs[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int acc = 0;
    for (int k0 = 0; k0 < K4; k0 += TILE) {
        As[threadIdx.y][threadIdx.x] = A[row * K4 + k0 + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(blockIdx.x * TILE + threadIdx.y) * K4 + k0 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            acc = __dp4a(As[threadIdx.y][k], Bs[threadIdx.x][k], acc);
        __syncthreads();
    }
    C[row * N + col] = acc;
}

int main()
{
    const int M = 256, N = 384, K = 256;
    int8_t *hA = (int8_t *)malloc(M * K), *hB = (int8_t *)malloc(N * K);
    for (int i = 0; i < M * K; i++) hA[i] = (int8_t)(i % 17 - 8);
    for (int i = 0; i < N * K; i++) hB[i] = (int8_t)(i % 13 - 6);
    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K);
    cudaMalloc((void **)&dB, N * K);
    cudaMalloc((void **)&dC, M * N * sizeof(int));
    cudaMemcpy(dA, hA, M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, N * K, cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE), grid(N / TILE, M / TILE);
    gemm_s8<<<grid, threads>>>(dA, dB, dC, M, N, K / 4);
    int c;
    cudaMemcpy(&c, dC, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", c);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    free(hA);
    free(hB);
    return 0;
}
