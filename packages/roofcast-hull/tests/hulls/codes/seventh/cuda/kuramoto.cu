// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
/*
 * kuramoto.cu -- N all-to-all coupled phase oscillators, explicit Euler, phases staged
 * through shared memory. Chapter 3 code of the thesis.
 *
 * usage: ./kuramoto [steps]
 * (3 operations a pair, 8 for each oscillator afterwards; by hand.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define N        8192
#define TILE     256
#define COUPLING 1.5f
#define DT       0.01f
#define TWO_PI   6.28318530717958647692f
#define INV_2PI  0.15915494309189533577f

__global__ void kuramoto_step(const float *theta, const float *omega, float *theta_new, float k_over_n)
{
    __shared__ float sh[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float mine = theta[i];
    float acc = 0.0f;

    for (int t = 0; t < N / TILE; t++) {
        sh[threadIdx.x] = theta[t * TILE + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < TILE; j++)
            acc += sinf(sh[j] - mine);
        __syncthreads();
    }

    float next = mine + DT * (omega[i] + k_over_n * acc);
    theta_new[i] = next - TWO_PI * floorf(next * INV_2PI);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    float *h = (float *)malloc(N * sizeof(float)), *w = (float *)malloc(N * sizeof(float));
    srand(7);
    for (int i = 0; i < N; i++) {
        h[i] = TWO_PI * (float)rand() / (float)RAND_MAX;
        w[i] = 0.5f * ((float)rand() / (float)RAND_MAX - 0.5f);
    }

    float *th, *tn, *om;
    cudaMalloc((void **)&th, N * sizeof(float));
    cudaMalloc((void **)&tn, N * sizeof(float));
    cudaMalloc((void **)&om, N * sizeof(float));
    cudaMemcpy(th, h, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(om, w, N * sizeof(float), cudaMemcpyHostToDevice);

    for (int s = 0; s < steps; s++) {
        kuramoto_step<<<N / TILE, TILE>>>(th, om, tn, COUPLING / N);
        float *tmp = th; th = tn; tn = tmp;
    }
    cudaMemcpy(h, th, N * sizeof(float), cudaMemcpyDeviceToHost);

    double c = 0, s = 0;
    for (int i = 0; i < N; i++) { c += cos(h[i]); s += sin(h[i]); }
    printf("order parameter r = %f\n", sqrt(c * c + s * s) / N);
    cudaFree(th); cudaFree(tn); cudaFree(om);
    free(h); free(w);
    return 0;
}
