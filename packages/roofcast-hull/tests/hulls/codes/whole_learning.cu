// Layers of networks and their optimisers, as people write them by hand.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) printf("failed: %s\n", cudaGetErrorString(status)); \
    } while (0)

constexpr int THREADS = 256;
constexpr int BATCH = 512, FEATURES = 4096, CLASSES = 1024;
static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

__device__ __forceinline__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

template <typename scalar_t>
__global__ void relu_forward(const scalar_t *__restrict__ x, scalar_t *__restrict__ y, size_t n) {
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = x[i] > scalar_t(0) ? x[i] : scalar_t(0);
}

__global__ void relu_backward(const float *dy, const float *y, float *dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dx[i] = (y[i] > 0.f) ? dy[i] : 0.f;
}

__global__ void swish(const float *x, float *y, int n) {
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        const float v = x[tid];
        y[tid] = v * sigmoid(v);
    }
}

__global__ void adam_step(float *w, float *m, float *v, const float *g, float lr, float b1, float b2, float eps, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        float grad = g[i];
        float first = b1 * m[i] + (1.f - b1) * grad;
        float second = b2 * v[i] + (1.f - b2) * grad * grad;
        m[i] = first;
        v[i] = second;
        w[i] -= lr * first / (sqrtf(second) + eps);
    }
}

__global__ void softmax_rows(const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float top = -INFINITY;
        for (int c = 0; c < cols; c++) top = fmaxf(top, x[r * cols + c]);
        float sum = 0.f;
        for (int c = 0; c < cols; c++) sum += expf(x[r * cols + c] - top);
        for (int c = 0; c < cols; c++) y[r * cols + c] = expf(x[r * cols + c] - top) / sum;
    }
}

__global__ void rms_norm(const float *x, const float *scale, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.f;
    for (int c = 0; c < cols; ++c) sum += x[r * cols + c] * x[r * cols + c];
    float inv = rsqrtf(sum / cols + 1e-5f);
    for (int c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * inv * scale[c];
}

__global__ void max_pool_2x2(const float *in, float *out, int channels, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z;
    if (x >= w / 2 || y >= h / 2) return;
    const float *plane = in + c * h * w;
    float best = plane[(2 * y) * w + 2 * x];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) best = fmaxf(best, plane[(2 * y + i) * w + 2 * x + j]);
    out[(c * (h / 2) + y) * (w / 2) + x] = best;
}

__global__ void bias_channels(float *x, const float *bias, int channels, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (c < channels && i < pixels) x[c * pixels + i] += bias[c];
}

__global__ void embed(const int *tokens, const float *table, float *out, int count, int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
    if (row < count && col < width) out[row * width + col] = table[tokens[row] * width + col];
}

__global__ void squared_error(const float *a, const float *b, float *loss, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float d = a[i] - b[i];
        atomicAdd(loss, d * d);
    }
}

__global__ void residual_add(const float4 *a, const float4 *b, float4 *c, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 u = a[i], v = b[i];
        u.x += v.x;
        u.y += v.y;
        u.z += v.z;
        u.w += v.w;
        c[i] = u;
    }
}

__global__ void linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
    const int row = threadIdx.y + blockIdx.y * blockDim.y;
    const int col = threadIdx.x + blockIdx.x * blockDim.x;
    if (!(row < m && col < n)) return;
    float acc = bias[col];
    for (int i = 0; i < k; i++) acc = fmaf(x[row * k + i], w[col * k + i], acc);
    y[row * n + col] = fmaxf(acc, 0.f);
}

int main(int argc, char **argv) {
    const int n = BATCH * FEATURES;
    float *x, *y, *g, *m, *v, *loss;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMalloc(&g, n * sizeof(float)));
    CHECK(cudaMalloc(&m, n * sizeof(float)));
    CHECK(cudaMalloc(&v, n * sizeof(float)));
    CHECK(cudaMalloc(&loss, sizeof(float)));
    const int blocks = ceil_div(n, THREADS);
    relu_forward<float><<<blocks / 4, THREADS>>>(x, y, n);
    relu_backward<<<blocks, THREADS>>>(g, y, x, n);
    swish<<<blocks, THREADS>>>(x, y, n);
    adam_step<<<blocks, THREADS>>>(x, m, v, g, 1e-3f, 0.9f, 0.999f, 1e-8f, n);
    softmax_rows<<<ceil_div(BATCH, 128), 128>>>(x, y, BATCH, FEATURES);
    rms_norm<<<ceil_div(BATCH, 128), 128>>>(x, g, y, BATCH, FEATURES);
    const int channels = 64, side = 128;
    dim3 block(16, 16), grid(ceil_div(side / 2, block.x), ceil_div(side / 2, block.y), channels);
    max_pool_2x2<<<grid, block>>>(x, y, channels, side, side);
    bias_channels<<<dim3(ceil_div(side * side, THREADS), channels), THREADS>>>(x, g, channels, side * side);
    int *tokens;
    float *table, *out;
    const int vocabulary = 32000, width = 1024, count = 2048;
    CHECK(cudaMalloc(&tokens, count * sizeof(int)));
    CHECK(cudaMalloc(&table, (size_t)vocabulary * width * sizeof(float)));
    CHECK(cudaMalloc(&out, count * width * sizeof(float)));
    embed<<<dim3(width / THREADS, count), THREADS>>>(tokens, table, out, count, width);
    squared_error<<<blocks, THREADS>>>(x, y, loss, n);
    residual_add<<<ceil_div(n / 4, THREADS), THREADS>>>((const float4 *)x, (const float4 *)y, (float4 *)g, n / 4);
    dim3 t(32, 8);
    linear_relu<<<dim3(ceil_div(CLASSES, 32), ceil_div(BATCH, 8)), t>>>(x, m, g, y, BATCH, CLASSES, FEATURES);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
