// contrastive pairs: cosine of two embeddings, hinge, and the step that pulls the anchor
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>

constexpr int PAIRS = 16384;
constexpr int DIM = 384;
constexpr unsigned FULL = 0xffffffffu;

__inline__ __device__ float warp_sum(float v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}

__global__ void cosine_rows(const __half *a, const __half *b, float *cosine)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const __half *ra = a + (size_t)warp * DIM, *rb = b + (size_t)warp * DIM;
    float dot = 0, na = 0, nb = 0;
    for (int k = lane; k < DIM; k += 32) {
        const float x = __half2float(ra[k]), y = __half2float(rb[k]);
        dot += x * y;
        na += x * x;
        nb += y * y;
    }
    dot = warp_sum(dot); na = warp_sum(na); nb = warp_sum(nb);
    if (lane == 0) cosine[warp] = dot * rsqrtf(na * nb + 1e-8f);
}

__global__ void pull_anchor(__half *a, const __half *b, const float *cosine, const unsigned char *same, float lr)
{
    const int row = blockIdx.x;
    const float c = cosine[row];
    const float g = same[row] ? c - 1.f : fmaxf(c - 0.5f, 0.f);
    for (int k = threadIdx.x; k < DIM; k += blockDim.x) {
        const size_t p = (size_t)row * DIM + k;
        a[p] = __float2half(__half2float(a[p]) - lr * g * __half2float(b[p]));
    }
}

int main()
{
    __half *a, *b; float *c; unsigned char *same;
    cudaMallocManaged(&a, sizeof(__half) * PAIRS * DIM);
    cudaMallocManaged(&b, sizeof(__half) * PAIRS * DIM);
    cudaMallocManaged(&c, sizeof(float) * PAIRS);
    cudaMallocManaged(&same, PAIRS);
    for (size_t i = 0; i < (size_t)PAIRS * DIM; i++) {
        a[i] = __float2half((rand() & 1023) / 512.f - 1.f);
        b[i] = __float2half((rand() & 1023) / 512.f - 1.f);
    }
    for (int i = 0; i < PAIRS; i++) same[i] = i & 1;
    cosine_rows<<<PAIRS / 8, 256>>>(a, b, c);
    pull_anchor<<<PAIRS, 128>>>(a, b, c, same, 0.01f);
    cudaDeviceSynchronize();
    printf("%f\n", c[1]);
    return 0;
}
