// Whole programs: kernels with the launches, sizes and allocations that their author wrote.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err = (call);                                          \
        if (err != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)
#define N (1 << 20)
#define THREADS 256

__global__ void axpby(float a, const float *__restrict__ x, float b, float *__restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = a * x[i] + b * y[i];
}

__global__ void to_half_range(const double *in, float *out, size_t count) {
    size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < count) {
        out[idx] = (float)(in[idx] * 0.5);
    }
}

__device__ __forceinline__ float gelu(float v) {
    return 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

__global__ void activate(float *data, int n) {
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) data[i] = gelu(data[i]);
}

__global__ void smooth(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x > 0 && x < n - 1) {
        out[x] = 0.25f * in[x - 1] + 0.5f * in[x] + 0.25f * in[x + 1];
    }
}

template <typename T, int R>
__global__ void box(const T *__restrict__ in, T *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < R || i >= n - R) return;
    T sum = 0;
#pragma unroll
    for (int k = -R; k <= R; ++k) sum += in[i + k];
    out[i] = sum / (2 * R + 1);
}

__global__ void axpy4(const float4 *x, float4 *y, float a, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 u = x[i], v = y[i];
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        y[i] = v;
    }
}

__global__ void reverse(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}

__global__ void gather(const float *table, const int *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]];
}

__global__ void bins(const unsigned char *pixels, unsigned int *histogram, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&histogram[pixels[i]], 1u);
}

__global__ void total(const float *x, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

__global__ void polynomial(const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = x[i], s = 1.0;
        for (int k = 0; k < 8; k++) s = s * v + 0.5;
        y[i] = s;
    }
}

__global__ void split(const float2 *z, float *re, float *im, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        re[i] = z[i].x;
        im[i] = z[i].y;
    }
}

int main(int argc, char **argv) {
    size_t bytes = N * sizeof(float);
    float *h = (float *)malloc(bytes);
    for (int i = 0; i < N; i++) h[i] = rand() / (float)RAND_MAX;
    float *x, *y;
    double *d, *e;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc((void **)&y, bytes));
    CHECK(cudaMalloc(&d, N * sizeof(double)));
    CHECK(cudaMalloc(&e, N * sizeof(*e)));
    CHECK(cudaMemcpy(x, h, bytes, cudaMemcpyHostToDevice));
    int blocks = (N + THREADS - 1) / THREADS;
    axpby<<<blocks, THREADS>>>(2.0f, x, 3.0f, y, N);
    CHECK(cudaGetLastError());
    to_half_range<<<blocks, THREADS>>>(d, y, N);
    activate<<<1024, THREADS>>>(x, N);
    dim3 block(THREADS), grid((N + block.x - 1) / block.x);
    smooth<<<grid, block>>>(x, y, N);
    box<float, 4><<<grid, block>>>(x, y, N);
    const int n4 = N / 4;
    axpy4<<<(n4 + 255) / 256, 256>>>((const float4 *)x, (float4 *)y, 2.0f, n4);
    int *p, *q;
    CHECK(cudaMalloc(&p, sizeof(int) * N));
    CHECK(cudaMalloc(&q, sizeof(int) * N));
    reverse<<<grid, block>>>(p, q, N);
    float *table;
    const int entries = 65536;
    CHECK(cudaMalloc(&table, entries * sizeof(float)));
    gather<<<grid, block>>>(table, p, y, N);
    unsigned char *pixels;
    unsigned int *histogram;
    CHECK(cudaMalloc(&pixels, N));
    CHECK(cudaMalloc(&histogram, 256 * sizeof(unsigned int)));
    bins<<<grid, block>>>(pixels, histogram, N);
    float *sum;
    CHECK(cudaMalloc(&sum, sizeof(float)));
    total<<<grid, block, 0, 0>>>(x, sum, N);
    polynomial<<<grid, block>>>(d, e, N);
    float2 *z;
    CHECK(cudaMalloc(&z, N * sizeof(float2)));
    split<<<grid, block>>>(z, x, y, N);
    CHECK(cudaDeviceSynchronize());
    cudaFree(x);
    free(h);
    return 0;
}
