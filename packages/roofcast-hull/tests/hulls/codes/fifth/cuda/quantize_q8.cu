#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// activations to blocks of 32 signed bytes with one scale, as runtimes for language models keep them
#define QK 32
#define WARP_SIZE 32
#define CUDA_QUANT_BLOCK 256

typedef struct {
    half d;
    int8_t qs[QK];
} block_q8;
static_assert(sizeof(block_q8) == sizeof(half) + QK, "padding in block_q8");

static __device__ __forceinline__ float warp_max(float x) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask, WARP_SIZE));
    }
    return x;
}

static __global__ void quantize_q8(const float * __restrict__ x, block_q8 * __restrict__ y, const int64_t k) {
    const int64_t i = (int64_t) blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= k) {
        return;
    }
    const int64_t ib  = i / QK;
    const int64_t iqs = i % QK;

    const float xi = x[i];
    const float amax = warp_max(fabsf(xi));

    const float d = amax / 127;
    const int8_t q = amax == 0.0f ? 0 : roundf(xi / d);

    y[ib].qs[iqs] = q;
    if (iqs > 0) {
        return;
    }
    y[ib].d = __float2half(d);
}

static void quantize_row_q8_cuda(const float * x, block_q8 * y, int64_t k, cudaStream_t stream) {
    const int num_blocks = (k + CUDA_QUANT_BLOCK - 1) / CUDA_QUANT_BLOCK;
    quantize_q8<<<num_blocks, CUDA_QUANT_BLOCK, 0, stream>>>(x, y, k);
}

int main() {
    const int64_t rows = 256;
    const int64_t cols = 4096;
    const int64_t k = rows * cols;
    std::vector<float> h(k);
    for (int64_t i = 0; i < k; i++) {
        h[i] = (float) (rand() % 2001 - 1000) / 300.0f;
    }
    float * x;
    block_q8 * y;
    cudaMalloc(&x, k * sizeof(float));
    cudaMalloc(&y, k / QK * sizeof(block_q8));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(x, h.data(), k * sizeof(float), cudaMemcpyHostToDevice, stream);

    quantize_row_q8_cuda(x, y, k, stream);

    std::vector<block_q8> q(k / QK);
    cudaMemcpyAsync(q.data(), y, q.size() * sizeof(block_q8), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    float worst = 0.0f;
    for (int64_t i = 0; i < k; i++) {
        const float back = __half2float(q[i / QK].d) * q[i / QK].qs[i % QK];
        const float err = back > h[i] ? back - h[i] : h[i] - back;
        worst = err > worst ? err : worst;
    }
    printf("largest error %f\n", worst);
    cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
