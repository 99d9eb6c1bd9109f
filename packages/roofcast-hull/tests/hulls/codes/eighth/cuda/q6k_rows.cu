// Embedding look-up from a Q6_K table: one block of 64 threads writes one super-block of 256 values of a token.
// Blind set: class by hand; operations counted in Python for one thread (four values).
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define QK_K 256
#define N_VOCAB 32000
#define N_EMBD 4096
#define N_TOKENS 32768

struct block_q6_K {
    uint8_t ql[QK_K / 2];
    uint8_t qh[QK_K / 4];
    int8_t  scales[QK_K / 16];
    half    d;
};
static_assert(sizeof(block_q6_K) == 210, "q6_K is 210 bytes");

inline void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

template <typename dst_t>
__global__ void k_get_rows_q6_K(const block_q6_K *__restrict__ table, const int32_t *__restrict__ ids,
                                dst_t *__restrict__ yy) {
    const int token = blockIdx.y;
    const int ib = blockIdx.x;
    const int64_t row = ids[token];
    const block_q6_K &x = table[row * (N_EMBD / QK_K) + ib];

    const int tid = threadIdx.x;          // 0..63
    const int ip = tid / 32;              // 0 or 1
    const int il = tid - 32 * ip;         // 0..31
    const int is = 8 * ip + il / 16;

    dst_t *y = yy + (int64_t)token * N_EMBD + ib * QK_K + 128 * ip + il;
    const float d = __half2float(x.d);
    const uint8_t *ql = x.ql + 64 * ip + il;
    const uint8_t qh = x.qh[32 * ip + il];
    const int8_t *sc = x.scales + is;

    y[0]  = d * sc[0] * ((int8_t)((ql[0]  & 0xF) | (((qh >> 0) & 3) << 4)) - 32);
    y[32] = d * sc[2] * ((int8_t)((ql[32] & 0xF) | (((qh >> 2) & 3) << 4)) - 32);
    y[64] = d * sc[4] * ((int8_t)((ql[0]  >> 4)  | (((qh >> 4) & 3) << 4)) - 32);
    y[96] = d * sc[6] * ((int8_t)((ql[32] >> 4)  | (((qh >> 6) & 3) << 4)) - 32);
}

__global__ void init_table(uint8_t *p, size_t nblk) {
    size_t b = (size_t)blockIdx.x;
    if (b >= nblk) return;
    uint8_t *q = p + b * sizeof(block_q6_K);
    for (int i = threadIdx.x; i < 208; i += blockDim.x) q[i] = (uint8_t)((b * 131 + i * 17) >> 1);
    if (threadIdx.x == 0) *(half *)(q + 208) = __float2half(0.002f);
}

int main(void) {
    const size_t nblk = (size_t)N_VOCAB * (N_EMBD / QK_K);
    block_q6_K *d_table; int32_t *d_ids; half *d_out;
    check(cudaMalloc(&d_table, nblk * sizeof(block_q6_K)), "table");
    check(cudaMalloc(&d_ids, N_TOKENS * sizeof(int32_t)), "ids");
    check(cudaMalloc(&d_out, (size_t)N_TOKENS * N_EMBD * sizeof(half)), "out");
    int32_t *ids = (int32_t *)malloc(N_TOKENS * sizeof(int32_t));
    for (int i = 0; i < N_TOKENS; ++i) ids[i] = (int32_t)(((long long)i * 7919) % N_VOCAB);
    check(cudaMemcpy(d_ids, ids, N_TOKENS * sizeof(int32_t), cudaMemcpyHostToDevice), "copy");
    init_table<<<(unsigned)nblk, 64>>>((uint8_t *)d_table, nblk);
    k_get_rows_q6_K<half><<<dim3(N_EMBD / QK_K, N_TOKENS), 64>>>(d_table, d_ids, d_out);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "sync");
    half h[4];
    check(cudaMemcpy(h, d_out, sizeof(h), cudaMemcpyDeviceToHost), "back");
    printf("%g %g\n", (double)__half2float(h[0]), (double)__half2float(h[1]));
    free(ids); cudaFree(d_table); cudaFree(d_ids); cudaFree(d_out);
    return 0;
}
