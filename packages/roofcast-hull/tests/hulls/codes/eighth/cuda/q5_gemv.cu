// Matrix-vector product with Q5_0 weights (blocks of 32 five-bit values, one half scale), one warp per row.
// Blind set: class by hand; operations verified by counting one block in Python.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define QK5_0 32
typedef struct {
    half    d;
    uint8_t qh[4];
    uint8_t qs[QK5_0 / 2];
} block_q5_0;
static_assert(sizeof(block_q5_0) == 22, "wrong q5_0 block size");

#define CUDA_OK(e) do { cudaError_t err_ = (e); if (err_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); return 1; } } while (0)

static __device__ __forceinline__ float warp_reduce_sum(float v) {
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask, 32);
    return v;
}

static __device__ __forceinline__ float vec_dot_q5_0_f32(const block_q5_0 *b, const float *y) {
    const float d = __half2float(b->d);
    uint32_t qh;
    memcpy(&qh, b->qh, sizeof(qh));
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < QK5_0 / 2; ++j) {
        const int xh_0 = ((qh >> j) << 4) & 0x10;
        const int xh_1 = (qh >> (j + 12)) & 0x10;
        const int x0 = ((b->qs[j] & 0x0F) | xh_0) - 16;
        const int x1 = ((b->qs[j] >> 4) | xh_1) - 16;
        sum += x0 * y[j] + x1 * y[j + QK5_0 / 2];
    }
    return d * sum;
}

extern "C" __global__ void mul_mat_vec_q5_0(const block_q5_0 *__restrict__ vx, const float *__restrict__ y,
                                            float *__restrict__ dst, const int ncols, const int nrows) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= nrows) return;
    const int nb = ncols / QK5_0;
    const block_q5_0 *x = vx + (size_t)row * nb;
    float tmp = 0.0f;
    for (int ib = threadIdx.x; ib < nb; ib += 32) tmp += vec_dot_q5_0_f32(x + ib, y + ib * QK5_0);
    tmp = warp_reduce_sum(tmp);
    if (threadIdx.x == 0) dst[row] = tmp;
}

__global__ void fill_blocks(block_q5_0 *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i].d = __float2half(0.01f + (i % 7) * 0.001f);
    for (int j = 0; j < 4; ++j) b[i].qh[j] = (uint8_t)(i * 37 + j * 11);
    for (int j = 0; j < 16; ++j) b[i].qs[j] = (uint8_t)(i * 13 + j * 29);
}

int main() {
    const int ncols = 8192, nrows = 16384;
    const size_t nblocks = (size_t)nrows * (ncols / QK5_0);
    block_q5_0 *w; float *x, *y;
    CUDA_OK(cudaMalloc(&w, nblocks * sizeof(block_q5_0)));
    CUDA_OK(cudaMalloc(&x, ncols * sizeof(float)));
    CUDA_OK(cudaMalloc(&y, nrows * sizeof(float)));
    static float hx[8192];
    for (int i = 0; i < ncols; ++i) hx[i] = 0.001f * (i % 101) - 0.05f;
    CUDA_OK(cudaMemcpy(x, hx, sizeof(hx), cudaMemcpyHostToDevice));
    fill_blocks<<<(unsigned)((nblocks + 255) / 256), 256>>>(w, nblocks);
    const dim3 block(32, 4, 1);
    const dim3 grid((nrows + block.y - 1) / block.y, 1, 1);
    for (int it = 0; it < 3; ++it) mul_mat_vec_q5_0<<<grid, block>>>(w, x, y, ncols, nrows);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    float h;
    CUDA_OK(cudaMemcpy(&h, y, sizeof(h), cudaMemcpyDeviceToHost));
    printf("y[0] = %f\n", h);
    cudaFree(w); cudaFree(x); cudaFree(y);
    return 0;
}
