/* Loads that stay in one level of the memory.

   l2: reads n times 16 bytes `passes` times past L1; with common = 0 the threads of the whole grid share one pass,
       with common = 1 every block makes it alone. Bytes: 16 n passes (common = 0), times the blocks (common = 1).
   l2_write: writes 16 n bytes `passes` times, spread over the grid.
   l1_*, shared_*: each thread makes 16 loads of its width per round. Bytes: threads x rounds x 16 x width.
       Lanes are `stride` words apart in shared memory: gcd(stride, 32) of them meet in one bank.
       step is 0: only the compiler does not know, so it keeps the loads in the loop. */
#include "portable.cuh"

extern "C" __global__ void l2(const Four* data, unsigned* out, int n, int passes, int common) {
  int first = common ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  int step = common ? blockDim.x : gridDim.x * blockDim.x;
  unsigned found = 0;
#pragma unroll 1
  for (int k = 0; k < passes; k += 4) {
    for (int i = first; i < n; i += step) {
      /* one load of each of four passes before the first is used: a pass alone has too few per thread (Little's law) */
      Four v[4];
#pragma unroll
      for (int j = 0; j < 4; j++) {
        /* passes and blocks start at different places, so that they do not ask for the same line at the same time */
        int shift = (int)((blockIdx.x * (common ? 977u : 0u) + (k + j) * 7919u) % (unsigned)n);
        int at = i + shift;
        at = at < n ? at : at - n;
        v[j].x = v[j].y = v[j].z = v[j].w = 0;
        if (k + j < passes) v[j] = load_past_l1(data + at);
      }
#pragma unroll
      for (int j = 0; j < 4; j++) found ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

extern "C" __global__ void l2_write(Four* data, int n, int passes) {
#pragma unroll 1
  for (int k = 0; k < passes; k++) {
    Four v;
    v.x = v.y = v.z = v.w = k;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = v;
  }
}

/* where: address space and kind of place, as the loads of portable.cuh want them */
#define FOUR_GETS(get, a, b, c, d, ...) get(a, __VA_ARGS__) get(b, __VA_ARGS__) get(c, __VA_ARGS__) get(d, __VA_ARGS__)
#define SIXTEEN(get, ...)                                                                                       \
  FOUR_GETS(get, 0, 512, 1024, 1536, __VA_ARGS__) FOUR_GETS(get, 2048, 2560, 3072, 3584, __VA_ARGS__)           \
  FOUR_GETS(get, 4096, 4608, 5120, 5632, __VA_ARGS__) FOUR_GETS(get, 6144, 6656, 7168, 7680, __VA_ARGS__)

/* 8 KiB (8.5 in waves of 64), the same for all blocks: in L1 after the first round */
#define L1(name, get, width)                                                                                    \
  extern "C" __global__ void name(const char* data, unsigned* out, int step, int rounds) {                      \
    const char* p = data + threadIdx.x % LANES * width;                                                         \
    unsigned found = 0;                                                                                         \
    Four v;                                                                                                     \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                      \
      SIXTEEN(get, IN_GLOBAL)                                                                                   \
      p += step;                                                                                                \
    }                                                                                                           \
    out[blockIdx.x * blockDim.x + threadIdx.x] = found;                                                         \
  }
L1(l1_4b, GET1, 4)
L1(l1_8b, GET2, 8)
L1(l1_16b, GET4, 16)

#define SHARED(name, get, width)                                                                                \
  extern "C" __global__ void name(unsigned* out, int stride, int step, int rounds) {                            \
    __align__(16) __shared__ unsigned tile[3072];                                                               \
    for (int i = threadIdx.x; i < 3072; i += blockDim.x) tile[i] = i * 2654435761u;                             \
    __syncthreads();                                                                                            \
    SharedPlace p = SHARED_PLACE(tile) + threadIdx.x % LANES * stride % 1024 * 4 / width * width;               \
    unsigned found = 0;                                                                                         \
    Four v;                                                                                                     \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                      \
      SIXTEEN(get, IN_SHARED)                                                                                   \
      p += step;                                                                                                \
    }                                                                                                           \
    out[blockIdx.x * blockDim.x + threadIdx.x] = found;                                                         \
  }
SHARED(shared_4b, GET1, 4)
SHARED(shared_8b, GET2, 8)
SHARED(shared_16b, GET4, 16)
