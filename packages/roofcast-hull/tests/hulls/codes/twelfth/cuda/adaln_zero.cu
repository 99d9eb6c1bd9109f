// AdaLN-Zero of a diffusion transformer: norm without affine, shift and scale from the conditioning, gated residual.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BATCH 16
#define TOKENS 256
#define WIDTH 1152
#define THREADS 128

__device__ float block_total(float v, float *buf) {
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    float r = buf[0];
    __syncthreads();
    return r;
}

// one block a token; mod holds [shift | scale | gate] for every image
__global__ void modulate_norm(const float *x, const float *shift, const float *scale, float *y) {
    __shared__ float buf[THREADS];
    int token = blockIdx.x, img = blockIdx.y;
    const float *row = x + ((size_t)img * TOKENS + token) * WIDTH;
    float *out = y + ((size_t)img * TOKENS + token) * WIDTH;
    float s = 0.f;
    for (int d = threadIdx.x; d < WIDTH; d += THREADS) s += row[d];
    float mean = block_total(s, buf) / WIDTH;
    float q = 0.f;
    for (int d = threadIdx.x; d < WIDTH; d += THREADS) {
        float c = row[d] - mean;
        q += c * c;
    }
    float inv = rsqrtf(block_total(q, buf) / WIDTH + 1e-6f);
    for (int d = threadIdx.x; d < WIDTH; d += THREADS)
        out[d] = (row[d] - mean) * inv * (1.f + scale[img * WIDTH + d]) + shift[img * WIDTH + d];
}

__global__ void gated_add(float *x, const float *branch, const float *gate) {
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int token = blockIdx.y, img = blockIdx.z;
    if (d < WIDTH) {
        size_t k = ((size_t)img * TOKENS + token) * WIDTH + d;
        x[k] = fmaf(gate[img * WIDTH + d], branch[k], x[k]);
    }
}

static float *upload(size_t n, float scale) {
    std::vector<float> h(n);
    for (size_t i = 0; i < n; ++i) h[i] = scale * ((i * 2654435761u % 1000) / 500.f - 1.f);
    float *d;
    cudaMalloc((void **)&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}

int main() {
    float *x = upload((size_t)BATCH * TOKENS * WIDTH, 1.f);
    float *y = upload((size_t)BATCH * TOKENS * WIDTH, 0.f);
    float *shift = upload(BATCH * WIDTH, .1f), *scale = upload(BATCH * WIDTH, .2f), *gate = upload(BATCH * WIDTH, .3f);
    modulate_norm<<<dim3(TOKENS, BATCH), THREADS>>>(x, shift, scale, y);
    gated_add<<<dim3(WIDTH / 128, TOKENS, BATCH), 128>>>(x, y, gate);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
