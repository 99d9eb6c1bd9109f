#include <cuda_runtime.h>

#define DIV_UP(n, d) (((n) + (d) - 1) / (d))
#define LAUNCH_1D(kernel, n, ...) kernel<<<DIV_UP((n), 192), 192>>>(__VA_ARGS__, (n))

__global__ void decay(float *level, const float *source, float keep, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = level[i] * keep + source[i];
}

__global__ void difference(const float *a, const float *b, float *d, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] = fabsf(a[i] - b[i]);
}

int main()
{
    const int cells = 777777;
    float *level, *source, *d;
    cudaMalloc(&level, cells * sizeof(float));
    cudaMalloc(&source, cells * sizeof(float));
    cudaMalloc(&d, cells * sizeof(float));
    LAUNCH_1D(decay, cells, level, source, 0.98f);
    LAUNCH_1D(difference, cells, level, source, d);
    cudaDeviceSynchronize();
}
