// Kernels of neural networks and of their data, as inference servers write them.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>

__global__ void rotary(float *x, const float *cosines, const float *sines, int heads, int half_dim) {
    int token = blockIdx.x;
    int head = blockIdx.y;
    int i = threadIdx.x;
    float *row = x + (token * heads + head) * 2 * half_dim;
    float c = cosines[token * half_dim + i];
    float s = sines[token * half_dim + i];
    float first = row[i];
    float second = row[i + half_dim];
    row[i] = first * c - second * s;
    row[i + half_dim] = second * c + first * s;
}

__global__ void gemv_int4(const unsigned *__restrict__ packed, const float *__restrict__ x, const float *__restrict__ scale,
                          float *__restrict__ y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int k = 0; k < cols / 8; ++k) {
        unsigned bits = packed[row * (cols / 8) + k];
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            int v = (int)((bits >> (4 * j)) & 0xF) - 8;
            sum += v * x[k * 8 + j];
        }
    }
    y[row] = sum * scale[row];
}

__global__ void cross_entropy(const float *logits, const int *labels, float *loss, int n, int classes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *row = logits + i * classes;
        float top = -FLT_MAX;
        for (int k = 0; k < classes; k++) top = fmaxf(top, row[k]);
        float sum = 0.0f;
        for (int k = 0; k < classes; k++) sum += expf(row[k] - top);
        loss[i] = logf(sum) + top - row[labels[i]];
    }
}

__global__ void decode_scores(const float *q, const float *cache, float *scores, int steps, int dim, float scale) {
    extern __shared__ float query[];
    int head = blockIdx.y;
    for (int d = threadIdx.x; d < dim; d += blockDim.x) query[d] = q[head * dim + d];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= steps) return;
    const float *key = cache + ((size_t)head * steps + t) * dim;
    float dot = 0.f;
    for (int d = 0; d < dim; d++) dot += query[d] * key[d];
    scores[head * steps + t] = dot * scale;
}

__global__ void quantise_rows(const float *__restrict__ in, signed char *__restrict__ out, float *__restrict__ scales, int cols) {
    __shared__ float largest[256];
    const int tid = threadIdx.x;
    const float *row = in + blockIdx.x * cols;
    float m = 0.f;
    for (int i = tid; i < cols; i += blockDim.x) m = fmaxf(m, fabsf(row[i]));
    largest[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) largest[tid] = fmaxf(largest[tid], largest[tid + s]);
        __syncthreads();
    }
    const float scale = largest[0] / 127.f;
    if (tid == 0) scales[blockIdx.x] = scale;
    for (int i = tid; i < cols; i += blockDim.x) out[blockIdx.x * cols + i] = (signed char)rintf(row[i] / scale);
}

__global__ void upsample_bilinear(const float *in, float *out, int h, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * w || y >= 2 * h) return;
    float sy = 0.5f * y, sx = 0.5f * x;
    int y0 = (int)sy, x0 = (int)sx;
    int y1 = min(y0 + 1, h - 1), x1 = min(x0 + 1, w - 1);
    float ly = sy - y0, lx = sx - x0;
    out[y * 2 * w + x] = (1 - ly) * ((1 - lx) * in[y0 * w + x0] + lx * in[y0 * w + x1]) +
                         ly * ((1 - lx) * in[y1 * w + x0] + lx * in[y1 * w + x1]);
}

__inline__ __device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__inline__ __device__ float block_sum(float v) {
    static __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / 32) ? partial[lane] : 0.f;
    if (warp == 0) v = warp_sum(v);
    return v;
}

__global__ void global_average(const float *x, float *mean, int pixels) {
    float sum = 0.f;
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) sum += x[blockIdx.x * pixels + i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) mean[blockIdx.x] = sum / pixels;
}

#define DIGITS 16
#define PER_THREAD 8

__global__ void count_digits(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned local[DIGITS];
    if (threadIdx.x < DIGITS) local[threadIdx.x] = 0;
    __syncthreads();
    int start = blockIdx.x * blockDim.x * PER_THREAD;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = start + k * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&local[(keys[i] >> shift) & (DIGITS - 1)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

void infer(float *a, float *b, float *c, float *d) {
    rotary<<<dim3(4096, 32), 64>>>(a, b, c, 32, 64);
    unsigned *packed;
    cudaMalloc(&packed, 4096 * 4096 / 2);
    gemv_int4<<<4096 / 64, 64>>>(packed, b, c, d, 4096, 4096);
    int *labels;
    cudaMalloc(&labels, 8192 * sizeof(int));
    cross_entropy<<<8192 / 256, 256>>>(a, labels, d, 8192, 1000);
    int dim = 128, steps = 2048;
    decode_scores<<<dim3((steps + 127) / 128, 32), 128, dim * sizeof(float)>>>(a, b, d, steps, dim, 0.0883f);
    signed char *q;
    cudaMalloc(&q, 4096 * 1024);
    quantise_rows<<<4096, 256>>>(a, q, d, 1024);
    dim3 threads(32, 8), blocks(1024 / 32, 1024 / 8);
    upsample_bilinear<<<blocks, threads>>>(a, b, 512, 512);
    global_average<<<32 * 256, 128>>>(a, b, 56 * 56);
    unsigned *keys, *counts;
    const int n = 1 << 20, per_block = 256 * PER_THREAD;
    cudaMalloc(&keys, n * sizeof(unsigned));
    cudaMalloc(&counts, DIGITS * (n / per_block) * sizeof(unsigned));
    count_digits<<<n / per_block, 256>>>(keys, counts, n, 4);
}
