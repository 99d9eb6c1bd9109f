// Cross term of the energy distance of two samples: mean |x - y| for each x, with y staged in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NX 8192
#define NY 12288
#define TILE 256

__global__ void cross_abs(const float* x, const float* y, float* out)
{
    __shared__ float part[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float xi = x[i], acc = 0.0f;
    for (int base = 0; base < NY; base += TILE) {
        part[threadIdx.x] = y[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) acc += fabsf(xi - part[j]);
        __syncthreads();
    }
    out[i] = acc / NY;
}

int main()
{
    float *x, *y, *o;
    cudaMallocManaged(&x, NX * sizeof(float));
    cudaMallocManaged(&y, NY * sizeof(float));
    cudaMallocManaged(&o, NX * sizeof(float));
    for (int i = 0; i < NX; i++) x[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < NY; i++) y[i] = sqrtf(rand() / (float)RAND_MAX);
    cross_abs<<<NX / TILE, TILE>>>(x, y, o);
    cudaDeviceSynchronize();
    double m = 0;
    for (int i = 0; i < NX; i++) m += o[i];
    printf("%f\n", m / NX);
    return 0;
}
