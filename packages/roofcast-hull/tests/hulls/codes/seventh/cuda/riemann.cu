// Lecture 4, exercise 2: pi = integral of 4/(1+x^2) over [0,1] by the midpoint rule.
// Per point: + * (x), * + / (f), += : 6, by hand.
#include <stdio.h>
#include <cuda_runtime.h>

#define N       (1 << 24)
#define BLOCKS  256
#define THREADS 256

__device__ double f(double x) { return 4.0 / (1.0 + x * x); }

__global__ void integrate(double *result, int n, double h)
{
    __shared__ double cache[THREADS];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    double temp = 0.0;
    for (int i = tid; i < n; i += blockDim.x * gridDim.x) {
        double x = (i + 0.5) * h;
        temp += f(x);
    }
    cache[threadIdx.x] = temp;
    __syncthreads();
    // tree in shared memory
    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
        i /= 2;
    }
    if (threadIdx.x == 0) atomicAdd(result, cache[0] * h); // needs sm_60
}

int main(void)
{
    double *pi;
    cudaMallocManaged(&pi, sizeof(double));
    *pi = 0.0;
    integrate<<<BLOCKS, THREADS>>>(pi, N, 1.0 / N);
    cudaDeviceSynchronize();
    printf("pi ~ %.12f\n", *pi);
    cudaFree(pi);
    return 0;
}
