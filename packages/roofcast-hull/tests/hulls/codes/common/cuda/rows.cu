#include <cuda_runtime.h>
#include <cmath>

__device__ float block_sum(float v)
{
    static __shared__ float part[32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) part[w] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / 32) ? part[lane] : 0.0f;
    if (w == 0)
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();
    return v;
}

__global__ void rmsnorm(const float *x, const float *g, float *y, int cols)
{
    __shared__ float inv;
    const float *row = x + blockIdx.x * cols;
    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += row[c] * row[c];
    s = block_sum(s);
    if (threadIdx.x == 0) inv = rsqrtf(s / cols + 1e-5f);
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = row[c] * inv * g[c];
}

__global__ void softmax_thread(const float *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float m = x[r * cols];
    for (int c = 1; c < cols; c++) m = fmaxf(m, x[r * cols + c]);
    float s = 0.f;
    for (int c = 0; c < cols; c++) s += expf(x[r * cols + c] - m);
    for (int c = 0; c < cols; c++) y[r * cols + c] = expf(x[r * cols + c] - m) / s;
}

template <typename F>
__global__ void apply(float *x, size_t n, F f)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}

__global__ void adam(float *w, const float *g, float *m, float *v, int n, float lr, float b1, float b2, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gi = g[i];
    float mi = m[i] = b1 * m[i] + (1.f - b1) * gi;
    float vi = v[i] = b2 * v[i] + (1.f - b2) * gi * gi;
    w[i] -= lr * mi / (sqrtf(vi) + eps);
}

#define PER_THREAD 4
__global__ void dot_unrolled(const float *a, const float *b, float *r, int n)
{
    int base = (blockIdx.x * blockDim.x) * PER_THREAD + threadIdx.x;
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
        int i = base + k * blockDim.x;
        if (i < n) s += a[i] * b[i];
    }
    atomicAdd(r, s);
}

__global__ void pairwise_sq(const float *x, const float *y, float *d, int n, int m, int dim)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= m) return;
    float s = 0;
    for (int k = 0; k < dim; k++) {
        float t = x[i * dim + k] - y[j * dim + k];
        s += t * t;
    }
    d[i * m + j] = s;
}

int main()
{
    float *x, *g, *y, *w, *m, *v, *a, *b, *r, *p, *q, *d;
    cudaMalloc(&x, 3000 * 2048 * 4);
    cudaMalloc(&y, 3000 * 2048 * 4);
    cudaMalloc(&g, 2048 * 4);
    rmsnorm<<<3000, 256>>>(x, g, y, 2048);
    softmax_thread<<<(3000 + 127) / 128, 128>>>(x, y, 3000, 2048);
    size_t n = 5000000;
    cudaMalloc(&w, n * 4);
    float slope = 0.1f;
    apply<<<(n + 255) / 256, 256>>>(w, n, [slope] __device__(float t) { return t > 0.f ? t : slope * t; });
    cudaMalloc(&m, n * 4);
    cudaMalloc(&v, n * 4);
    cudaMalloc(&a, n * 4);
    adam<<<(n + 255) / 256, 256>>>(w, a, m, v, n, 1e-3f, 0.9f, 0.999f, 1e-8f);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&r, 4);
    dot_unrolled<<<(n + 1023) / 1024, 256>>>(a, b, r, n);
    cudaMalloc(&p, 900 * 24 * 4);
    cudaMalloc(&q, 1100 * 24 * 4);
    cudaMalloc(&d, 900 * 1100 * 4);
    pairwise_sq<<<dim3((1100 + 15) / 16, (900 + 15) / 16), dim3(16, 16)>>>(p, q, d, 900, 1100, 24);
    cudaDeviceSynchronize();
}
