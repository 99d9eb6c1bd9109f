// Pearson correlation of two long series: five sums by blocks (doubles), then one block finishes.
// Blind set: classes by hand; operations counted in Python for one pair.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOCKS 1024
#define THREADS 256
#define NSUMS 5

#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

template <int NT>
__device__ double block_sum(double v)
{
    __shared__ double buf[NT / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();                                   // buf may still be read by the call before
    if (threadIdx.x % 32 == 0) buf[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0;
    if (threadIdx.x == 0)
        for (int i = 0; i < NT / 32; ++i) v += buf[i];
    return v;                                          // of thread 0 only
}

__global__ void partial_sums(const float *x, const float *y, double *partial, size_t n)
{
    double s[NSUMS] = {0, 0, 0, 0, 0};
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
        const double a = x[i], b = y[i];
        s[0] += a;
        s[1] += b;
        s[2] += a * a;
        s[3] += b * b;
        s[4] += a * b;
    }
    for (int k = 0; k < NSUMS; ++k) {
        const double t = block_sum<THREADS>(s[k]);
        if (threadIdx.x == 0) partial[blockIdx.x * NSUMS + k] = t;
    }
}

__global__ void finish(const double *partial, double *corr, double n)
{
    double s[NSUMS];
    for (int k = 0; k < NSUMS; ++k) {
        double v = 0.0;
        for (int b = threadIdx.x; b < BLOCKS; b += THREADS) v += partial[b * NSUMS + k];
        s[k] = block_sum<THREADS>(v);
    }
    if (threadIdx.x == 0)
        *corr = (n * s[4] - s[0] * s[1]) / sqrt((n * s[2] - s[0] * s[0]) * (n * s[3] - s[1] * s[1]));
}

__global__ void series(float *x, float *y, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
        x[i] = (float)(i % 977) / 977.0f;
        y[i] = 0.3f * x[i] + (float)((i * 31) % 1013) / 1013.0f;
    }
}

int main()
{
    const size_t n = (size_t)1 << 26;
    float *x, *y;
    double *partial, *corr, r;
    HANDLE_ERROR(cudaMalloc((void **)&x, n * sizeof(float)));
    HANDLE_ERROR(cudaMalloc((void **)&y, n * sizeof(float)));
    HANDLE_ERROR(cudaMalloc((void **)&partial, BLOCKS * NSUMS * sizeof(double)));
    HANDLE_ERROR(cudaMalloc((void **)&corr, sizeof(double)));
    series<<<BLOCKS, THREADS>>>(x, y, n);
    partial_sums<<<BLOCKS, THREADS>>>(x, y, partial, n);
    finish<<<1, THREADS>>>(partial, corr, (double)n);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(&r, corr, sizeof(double), cudaMemcpyDeviceToHost));
    printf("r = %.9f\n", r);
    HANDLE_ERROR(cudaFree(x));
    HANDLE_ERROR(cudaFree(y));
    HANDLE_ERROR(cudaFree(partial));
    HANDLE_ERROR(cudaFree(corr));
    return 0;
}
