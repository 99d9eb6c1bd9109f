#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define N 10000000
#define THREADS 256

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t err_ = (call);                                                    \
        if (err_ != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            exit(EXIT_FAILURE);                                                       \
        }                                                                             \
    } while (0)

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(void)
{
    size_t bytes = N * sizeof(float);
    float *hx = (float *)malloc(bytes), *hy = (float *)malloc(bytes);
    for (int i = 0; i < N; i++) { hx[i] = 1.0f; hy[i] = (float)i; }
    float *dx, *dy;
    CHECK(cudaMalloc((void **)&dx, bytes));
    CHECK(cudaMalloc((void **)&dy, bytes));
    CHECK(cudaMemcpy(dx, hx, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, hy, bytes, cudaMemcpyHostToDevice));
    int blocks = (N + THREADS - 1) / THREADS;
    saxpy<<<blocks, THREADS>>>(N, 2.5f, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hy, dy, bytes, cudaMemcpyDeviceToHost));
    printf("%f\n", hy[N - 1]);
    cudaFree(dx);
    cudaFree(dy);
    free(hx);
    free(hy);
    return 0;
}
