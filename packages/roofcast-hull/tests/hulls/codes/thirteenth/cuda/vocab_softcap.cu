// Soft-capped logits with a bias per word, and the peak of every row for the sampler.
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <vector>
#include <cuda_runtime.h>

static const int TOKENS = 512;
static const int VOCAB = 32000;

__global__ void softcap_bias(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y,
                             int tokens, int vocab, float cap)
{
    const float inv = 1.0f / cap;
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y;
    if (v >= vocab || t >= tokens) return;
    size_t at = (size_t)t * vocab + v;
    y[at] = cap * tanhf(x[at] * inv) + bias[v];
}

__global__ void row_peak(const float* __restrict__ y, float* __restrict__ peak, int vocab)
{
    __shared__ float best[256];
    const float* row = y + (size_t)blockIdx.x * vocab;
    float m = -FLT_MAX;
    for (int v = threadIdx.x; v < vocab; v += blockDim.x)
        m = fmaxf(m, row[v]);
    best[threadIdx.x] = m;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) peak[blockIdx.x] = best[0];
}

int main()
{
    size_t n = (size_t)TOKENS * VOCAB;
    std::vector<float> h(n), hb(VOCAB);
    for (size_t i = 0; i < n; i++) h[i] = (float)(rand() % 2000 - 1000) * 0.05f;
    for (int i = 0; i < VOCAB; i++) hb[i] = (i % 97) * 0.01f;
    float *x, *y, *b, *p;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&b, VOCAB * sizeof(float));
    cudaMalloc(&p, TOKENS * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb.data(), VOCAB * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((VOCAB + 255) / 256, TOKENS);
    softcap_bias<<<grid, 256>>>(x, b, y, TOKENS, VOCAB, 30.0f);
    row_peak<<<TOKENS, 256>>>(y, p, VOCAB);
    float first;
    cudaMemcpy(&first, p, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    return 0;
}
