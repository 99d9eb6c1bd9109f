// Three-bit weights in two planes: two low bits of four weights a byte, one high bit of eight weights a byte, one scale for 32.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

constexpr int BLOCKS = 131072;
constexpr int QK = 32;

struct BlockQ3 {
    half d;
    uint8_t low[QK / 4];
    uint8_t high[QK / 8];
};
static_assert(sizeof(BlockQ3) == 14, "packed");

__global__ void __launch_bounds__(128) expand_q3(const BlockQ3 *__restrict__ blocks, float *__restrict__ out)
{
    const int b = blockIdx.x * 128 + threadIdx.x;
    const BlockQ3 &w = blocks[b];
    const float d = __half2float(w.d);
    float *o = out + (size_t)b * QK;
#pragma unroll
    for (int j = 0; j < QK; ++j) {
        const int lo = (w.low[j / 4] >> (2 * (j % 4))) & 3;
        const int hi = (w.high[j / 8] >> (j % 8)) & 1;
        o[j] = d * (float)((lo | (hi << 2)) - 4);
    }
}

int main()
{
    BlockQ3 *w; float *out;
    cudaMallocManaged(&w, BLOCKS * sizeof(BlockQ3));
    cudaMallocManaged(&out, (size_t)BLOCKS * QK * sizeof(float));
    for (int i = 0; i < BLOCKS; i++) {
        w[i].d = __float2half(0.01f * (1 + i % 9));
        for (int j = 0; j < 8; j++) w[i].low[j] = (uint8_t)(i * 7 + j * 31);
        for (int j = 0; j < 4; j++) w[i].high[j] = (uint8_t)(i * 13 + j * 5);
    }
    expand_q3<<<BLOCKS / 128, 128>>>(w, out);
    cudaDeviceSynchronize();
    printf("%g\n", out[77]);
}
