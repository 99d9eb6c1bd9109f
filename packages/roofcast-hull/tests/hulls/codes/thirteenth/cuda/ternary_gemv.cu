// Weights of -1, 0, 1 in two bits each against int8 activations; one warp per row.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda_runtime.h>

constexpr int ROWS = 4096, COLS = 8192, WORDS = COLS / 16;

__global__ void bit_linear(const uint32_t* __restrict__ w, const int8_t* __restrict__ x, const float* __restrict__ scale,
                           float xscale, float* __restrict__ y)
{
    int lane = threadIdx.x & 31;
    int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    int acc = 0;
    for (int j = lane; j < WORDS; j += 32) {
        uint32_t word = w[row * WORDS + j];
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int t = (int)((word >> (2 * k)) & 3u) - 1;
            acc += t * x[16 * j + k];
        }
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
    if (lane == 0) y[row] = acc * scale[row] * xscale;
}

int main()
{
    uint32_t* w;
    int8_t* x;
    float *s, *y;
    cudaMallocManaged(&w, ROWS * WORDS * sizeof(uint32_t));
    cudaMallocManaged(&x, COLS);
    cudaMallocManaged(&s, ROWS * sizeof(float));
    cudaMallocManaged(&y, ROWS * sizeof(float));
    for (int i = 0; i < ROWS * WORDS; i++) w[i] = (rand() & 0x55555555) + (rand() & 0x11111111);
    for (int i = 0; i < COLS; i++) x[i] = rand() % 255 - 127;
    for (int i = 0; i < ROWS; i++) s[i] = 0.01f + i * 1e-6f;
    bit_linear<<<ROWS / 8, 256>>>(w, x, s, 0.02f, y);
    cudaDeviceSynchronize();
    printf("%f\n", y[1]);
    return 0;
}
