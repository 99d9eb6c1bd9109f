/* Loads that stay in one level of the memory.

   l2: reads n times 16 bytes `passes` times past L1 (.cg); with common = 0 the threads of the whole grid share one pass,
       with common = 1 every block makes it alone. Bytes: 16 n passes (common = 0), times the blocks (common = 1).
   l2_write: writes 16 n bytes `passes` times, spread over the grid.
   l1_*, shared_*: each thread makes 16 loads of its width per round. Bytes: threads x rounds x 16 x width.
       Lanes are `stride` words apart in shared memory: gcd(stride, 32) of them meet in one bank.
       step is 0: only the compiler does not know, so it keeps the loads in the loop. */
struct __align__(16) Four {
  unsigned x, y, z, w;
};

#ifdef __CUDACC__
__device__ __forceinline__ Four load_past_l1(const Four* p) {
  Four v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
#else
inline Four load_past_l1(const Four* p) { return *p; }
#endif

extern "C" __global__ void l2(const Four* data, unsigned* out, int n, int passes, int common) {
  int first = common ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
  int step = common ? blockDim.x : gridDim.x * blockDim.x;
  unsigned found = 0;
#pragma unroll 1
  for (int k = 0; k < passes; k++) {
    /* passes and blocks start at different places, so that they do not ask for the same line at the same time */
    int shift = (int)((blockIdx.x * (common ? 977u : 0u) + k * 7919u) % (unsigned)n);
#pragma unroll 4
    for (int i = first; i < n; i += step) {
      int at = i + shift;
      at = at < n ? at : at - n;
      Four v = load_past_l1(data + at);
      found ^= v.x ^ v.y ^ v.z ^ v.w;
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

#ifdef __CUDACC__
#define GET1(space, c, at) \
  asm volatile("ld." space ".u32 %0, [%1 + " #at "];" : "=r"(v.x) : c(p)); found ^= v.x;
#define GET2(space, c, at) \
  asm volatile("ld." space ".v2.u32 {%0, %1}, [%2 + " #at "];" : "=r"(v.x), "=r"(v.y) : c(p)); found ^= v.x ^ v.y;
#define GET4(space, c, at)                                                                                      \
  asm volatile("ld." space ".v4.u32 {%0, %1, %2, %3}, [%4 + " #at "];"                                          \
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : c(p));                                            \
  found ^= v.x ^ v.y ^ v.z ^ v.w;
#define SIXTEEN(get, space, c)                                                                                  \
  get(space, c, 0) get(space, c, 512) get(space, c, 1024) get(space, c, 1536) get(space, c, 2048)               \
  get(space, c, 2560) get(space, c, 3072) get(space, c, 3584) get(space, c, 4096) get(space, c, 4608)           \
  get(space, c, 5120) get(space, c, 5632) get(space, c, 6144) get(space, c, 6656) get(space, c, 7168)           \
  get(space, c, 7680)

/* 8 KiB, the same for all blocks: in L1 after the first round */
#define L1(name, get, width)                                                                                    \
  extern "C" __global__ void name(const char* data, unsigned* out, int step, int rounds) {                      \
    const char* p = data + threadIdx.x % 32 * width;                                                            \
    unsigned found = 0;                                                                                         \
    Four v;                                                                                                     \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                      \
      SIXTEEN(get, "global.ca", "l")                                                                            \
      p += step;                                                                                                \
    }                                                                                                           \
    out[blockIdx.x * blockDim.x + threadIdx.x] = found;                                                         \
  }
L1(l1_4b, GET1, 4)
L1(l1_8b, GET2, 8)
L1(l1_16b, GET4, 16)

#define SHARED(name, get, width)                                                                                \
  extern "C" __global__ void name(unsigned* out, int stride, int step, int rounds) {                            \
    __shared__ __align__(16) unsigned tile[3072];                                                               \
    for (int i = threadIdx.x; i < 3072; i += blockDim.x) tile[i] = i * 2654435761u;                             \
    __syncthreads();                                                                                            \
    unsigned p = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * stride % 1024 * 4 / width * width; \
    unsigned found = 0;                                                                                         \
    Four v;                                                                                                     \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                      \
      SIXTEEN(get, "shared", "r")                                                                               \
      p += step;                                                                                                \
    }                                                                                                           \
    out[blockIdx.x * blockDim.x + threadIdx.x] = found;                                                         \
  }
SHARED(shared_4b, GET1, 4)
SHARED(shared_8b, GET2, 8)
SHARED(shared_16b, GET4, 16)
#endif
