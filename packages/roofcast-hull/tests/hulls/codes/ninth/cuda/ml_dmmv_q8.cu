// Matrix-vector product with weights in blocks of 32 int8 values and a half scale
// (dequantised on the fly); a warp for each row.
// Counts: self-counting scalar translation of one block.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CUDA_CHECK(err)                                                              \
    do {                                                                             \
        cudaError_t err_ = (err);                                                    \
        if (err_ != cudaSuccess) {                                                   \
            fprintf(stderr, "CUDA error %d at %s:%d: %s\n", err_, __FILE__, __LINE__, \
                    cudaGetErrorString(err_));                                       \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

#define WARP_SIZE 32
#define QK8_0 32
#define QR8_0 1

typedef struct {
    half   d;          // scale
    int8_t qs[QK8_0];  // quants
} block_q8_0;
static_assert(sizeof(block_q8_0) == sizeof(half) + QK8_0, "wrong q8_0 block size/padding");

typedef void (*dequantize_kernel_t)(const void * vx, const int64_t ib, const int iqs, float2 & v);

static __device__ __forceinline__ void dequantize_q8_0(const void * vx, const int64_t ib, const int iqs, float2 & v) {
    const block_q8_0 * x = (const block_q8_0 *) vx;
    const float d = __half2float(x[ib].d);

    v.x = x[ib].qs[iqs + 0];
    v.y = x[ib].qs[iqs + 1];

    v.x *= d;
    v.y *= d;
}

template <int qk, int qr, dequantize_kernel_t dequantize_kernel>
static __global__ void dequantize_mul_mat_vec(const void * __restrict__ vx, const float * __restrict__ y,
                                              float * __restrict__ dst, const int ncols, const int nrows) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= nrows) {
        return;
    }

    const int tid         = threadIdx.x;
    const int iter_stride = 2 * WARP_SIZE;

    float tmp = 0.0f;
    for (int i = 0; i < ncols; i += iter_stride) {
        const int     col = i + 2 * tid;
        const int64_t ib  = ((int64_t) row * ncols + col) / qk;  // x block index
        const int     iqs = (col % qk) / qr;                     // x quant index

        float2 v;
        dequantize_kernel(vx, ib, iqs, v);
        tmp += v.x * y[col + 0];
        tmp += v.y * y[col + 1];
    }

#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        tmp += __shfl_xor_sync(0xffffffff, tmp, mask, 32);
    }
    if (tid == 0) {
        dst[row] = tmp;
    }
}

static void dequantize_mul_mat_vec_q8_0_cuda(const void * vx, const float * y, float * dst, const int ncols,
                                             const int nrows, cudaStream_t stream) {
    const int  rows_per_block = 4;
    const dim3 block_nums((nrows + rows_per_block - 1) / rows_per_block, 1, 1);
    const dim3 block_dims(WARP_SIZE, rows_per_block, 1);
    dequantize_mul_mat_vec<QK8_0, QR8_0, dequantize_q8_0><<<block_nums, block_dims, 0, stream>>>(vx, y, dst, ncols, nrows);
}

int main() {
    const int ncols = 4096;
    const int nrows = 14336;
    const size_t nblocks = (size_t) nrows * ncols / QK8_0;

    std::vector<block_q8_0> x(nblocks);
    std::vector<float> y(ncols), dst(nrows);
    uint32_t r = 7;
    for (size_t ib = 0; ib < nblocks; ++ib) {
        x[ib].d = __float2half(0.002f + 0.0001f * (ib % 11));
        for (int j = 0; j < QK8_0; ++j) {
            r = r * 1664525u + 1013904223u;
            x[ib].qs[j] = (int8_t) ((int) (r >> 24) - 128);
        }
    }
    for (int i = 0; i < ncols; ++i) {
        y[i] = sinf(0.05f * i);
    }

    block_q8_0 * x_d;
    float * y_d, * dst_d;
    CUDA_CHECK(cudaMalloc(&x_d, nblocks * sizeof(block_q8_0)));
    CUDA_CHECK(cudaMalloc(&y_d, ncols * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dst_d, nrows * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(x_d, x.data(), nblocks * sizeof(block_q8_0), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(y_d, y.data(), ncols * sizeof(float), cudaMemcpyHostToDevice));

    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    for (int it = 0; it < 10; ++it) {
        dequantize_mul_mat_vec_q8_0_cuda(x_d, y_d, dst_d, ncols, nrows, stream);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(dst.data(), dst_d, nrows * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int row = 0; row < nrows; row += 511) {
        double s = 0.0;
        for (int c = 0; c < ncols; ++c) {
            const block_q8_0 & b = x[((size_t) row * ncols + c) / QK8_0];
            s += (double) __half2float(b.d) * b.qs[c % QK8_0] * y[c];
        }
        worst = fmax(worst, fabs(s - dst[row]));
    }
    printf("max error of the sampled rows: %g\n", worst);

    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(x_d));
    CUDA_CHECK(cudaFree(y_d));
    CUDA_CHECK(cudaFree(dst_d));
    return 0;
}
