/*
 * Forward substitution L X = B with many right-hand sides, one thread per column, X overwrites B.
 * The lower triangle of L is first brought packed into shared memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define N 96
#define NRHS 50000
#define THREADS 128

#define PACKED(i, j) ((i) * ((i) + 1) / 2 + (j))

extern "C" __global__ void trsm_forward(const double *__restrict__ L, double *B)
{
    __shared__ double sL[N * (N + 1) / 2];

    for (int e = threadIdx.x; e < N * N; e += THREADS) {
        int i = e / N, j = e % N;
        if (j <= i)
            sL[PACKED(i, j)] = L[e];
    }
    __syncthreads();

    int col = blockIdx.x * THREADS + threadIdx.x;
    if (col >= NRHS)
        return;

    for (int i = 0; i < N; i++) {
        double s = B[i * NRHS + col];
        for (int j = 0; j < i; j++)
            s -= sL[PACKED(i, j)] * B[j * NRHS + col];
        B[i * NRHS + col] = s / sL[PACKED(i, i)];
    }
}

int main(void)
{
    double *hL = (double *)calloc(N * N, sizeof(double));
    double *hB = (double *)malloc(sizeof(double) * N * NRHS);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            hL[i * N + j] = 0.01 * ((i + 3 * j) % 7);
        hL[i * N + i] = 2.0;
    }
    for (int i = 0; i < N * NRHS; i++)
        hB[i] = (i % 101) / 101.0;

    double *dL, *dB;
    cudaMalloc((void **)&dL, sizeof(double) * N * N);
    cudaMalloc((void **)&dB, sizeof(double) * N * NRHS);
    cudaMemcpy(dL, hL, sizeof(double) * N * N, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sizeof(double) * N * NRHS, cudaMemcpyHostToDevice);

    trsm_forward<<<(NRHS + THREADS - 1) / THREADS, THREADS>>>(dL, dB);

    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        return EXIT_FAILURE;
    }
    cudaMemcpy(hB, dB, sizeof(double) * N * NRHS, cudaMemcpyDeviceToHost);
    printf("x[0][0]=%f x[95][49999]=%f\n", hB[0], hB[N * NRHS - 1]);
    cudaFree(dL);
    cudaFree(dB);
    free(hL);
    free(hB);
    return 0;
}
