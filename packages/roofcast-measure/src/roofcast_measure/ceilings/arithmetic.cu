/* Chains of arithmetic that stay in registers: each thread has eight independent ones, so that latencies overlap.

   One round is 8 chains x 16 steps = 128 instructions of the kind that the kernel is named after; a packed (x2)
   instruction holds two operations of each kind. Amounts per launch: threads x rounds x what one round holds.
   The only memory traffic is one value per thread at the end. */
#include "portable.cuh"

#define FMA(a) a = a * m + s
#define ADD(a) a = a + s
#define MUL(a) a = a * m
#define EIGHT(f, g) f(a0); g(a1); f(a2); g(a3); f(a4); g(a5); f(a6); g(a7)
#define SUM(x) x(a0) x(a1) x(a2) x(a3) x(a4) x(a5) x(a6) x(a7)
#define PLUS(a) +a
#define XOR(a) ^a

/* even and odd chains take the steps f and g; rounds is a run-time value, so the loop stays */
#define KERNEL(name, type, f, g, join)                                                                      \
  extern "C" __global__ void name(type* out, type m, type s, int rounds) {                                  \
    type a0 = (type)threadIdx.x, a1 = a0 + m, a2 = a1 + m, a3 = a2 + m;                                     \
    type a4 = a3 + m, a5 = a4 + m, a6 = a5 + m, a7 = a6 + m;                                                \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) { TIMES16(EIGHT(f, g)); }                          \
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0 SUM(join);                                               \
  }

KERNEL(fma_fp64, double, FMA, FMA, PLUS)
KERNEL(add_mul_fp64, double, ADD, MUL, PLUS)
KERNEL(fma_fp32, float, FMA, FMA, PLUS)
KERNEL(add_mul_fp32, float, ADD, MUL, PLUS)
KERNEL(mad_int32, int, INT_MAD, INT_MAD, XOR)
KERNEL(special_fp32, float, SPECIAL, SPECIAL, PLUS)

/* integers: each chain takes its neighbour's value, else a compiler folds x + m + m into x + 2 m */
#define RING(name, op)                                                                                      \
  extern "C" __global__ void name(int* out, int m, int s, int rounds) {                                     \
    int a0 = threadIdx.x, a1 = a0 + m, a2 = a1 ^ s, a3 = a2 + m, a4 = a3 ^ s, a5 = a4 + m, a6 = a5 ^ s, a7 = a6 + m; \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                  \
      TIMES16(a0 op a1; a1 op a2; a2 op a3; a3 op a4; a4 op a5; a5 op a6; a6 op a7; a7 op a0);              \
    }                                                                                                       \
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0 SUM(XOR);                                                \
  }
RING(add_int32, +=)
RING(mul_int32, *=)

#if HAS_HALF
KERNEL(fma_fp16, int, HALF_FMA, HALF_FMA, XOR)
KERNEL(add_mul_fp16, int, HALF_ADD, HALF_MUL, XOR)
#endif
#if HAS_BRAIN_FMA
KERNEL(fma_bf16, int, BRAIN_FMA, BRAIN_FMA, XOR)
#endif
#if HAS_BRAIN
KERNEL(add_mul_bf16, int, BRAIN_ADD, BRAIN_MUL, XOR)
#endif

/* fma_fp32 again, and the SM's clocks that each block takes, from its first warp's start to its last one's end: an SM
   serves its oldest warps first, so that no warp's own clocks, nor those of one of several resident blocks, are the SM's.
   One block per SM; the longest, divided by the time, is the clock under load. */
extern "C" __global__ void clock_fp32(float* out, float m, float s, int rounds, long long* cycles) {
  float a0 = (float)threadIdx.x, a1 = a0 + m, a2 = a1 + m, a3 = a2 + m;
  float a4 = a3 + m, a5 = a4 + m, a6 = a5 + m, a7 = a6 + m;
  __syncthreads();
  long long start = clock64();
#pragma unroll 1
  for (int k = 0; k < rounds; k++) { TIMES16(EIGHT(FMA, FMA)); }
  __syncthreads();
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0 SUM(PLUS);
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}
