// Attention sinks: slide the kept window of a KV cache forward, and swap blocks of it back in from a staging area.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define HEADS 32
#define CAP 2048
#define DIM 128
#define SINK 4
#define EVICT 508
#define KEPT (CAP - SINK - EVICT)        // 1536
#define VEC (DIM * 2 / 16)               // 16-byte pieces of a row

#define STAGED 192
#define SLOTS 1024
#define BLOCK_HALVES 4096

__global__ void slide_window(uint4 *__restrict__ dst, const uint4 *__restrict__ src)
{
    int piece = threadIdx.x;
    int tok = blockIdx.x * blockDim.y + threadIdx.y;
    int head = blockIdx.y;
    if (tok < KEPT) {
        size_t base = (size_t)head * CAP * VEC;
        dst[base + (size_t)(SINK + tok) * VEC + piece] = src[base + (size_t)(SINK + EVICT + tok) * VEC + piece];
    }
}

__global__ void swap_in(half *__restrict__ pool, const half *__restrict__ stage, const int *__restrict__ slot)
{
    const half *from = stage + (size_t)blockIdx.x * BLOCK_HALVES;
    half *to = pool + (size_t)slot[blockIdx.x] * BLOCK_HALVES;
    for (int i = threadIdx.x; i < BLOCK_HALVES; i += blockDim.x)
        to[i] = from[i];
}

int main()
{
    const size_t n = (size_t)HEADS * CAP * VEC;
    uint4 *a, *b;
    half *pool, *stage;
    int *slot;
    cudaMallocManaged(&a, n * sizeof(uint4));
    cudaMallocManaged(&b, n * sizeof(uint4));
    cudaMallocManaged(&pool, sizeof(half) * SLOTS * BLOCK_HALVES);
    cudaMallocManaged(&stage, sizeof(half) * STAGED * BLOCK_HALVES);
    cudaMallocManaged(&slot, sizeof(int) * STAGED);
    for (size_t i = 0; i < n; i++) a[i] = make_uint4(i, i + 1, i + 2, i + 3);
    for (int i = 0; i < STAGED * BLOCK_HALVES; i++) stage[i] = __float2half(0.25f * (i % 64));
    for (int i = 0; i < STAGED; i++) slot[i] = (i * 389) % SLOTS;

    dim3 block(VEC, 16), grid((KEPT + 15) / 16, HEADS);
    slide_window<<<grid, block>>>(b, a);
    swap_in<<<STAGED, 256>>>(pool, stage, slot);
    cudaDeviceSynchronize();
    printf("%u %s\n", b[SINK * VEC].x, cudaGetErrorString(cudaGetLastError()));
}
