/* One thread, one load (or multiply-add) after the other: each waits for the one before. Time in clocks of the SM.

   build links `lines` places, `stride` 8-byte words apart, by their addresses: a chase then computes nothing.
   result[0] = clocks, result[1] = place where the chase stopped (in words from the start of the ring).
   Steps per chase: 16 x rounds. */
#include "portable.cuh"

extern "C" __global__ void build(unsigned long long* ring, const int* next, int lines, int stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    ring[(long long)i * stride] = (unsigned long long)(ring + (long long)next[i] * stride);
}

#define CHASE(name, STEP)                                                                                   \
  extern "C" __global__ void name(unsigned long long* ring, int start, int rounds, long long* result) {     \
    unsigned long long p = (unsigned long long)(ring + start);                                              \
    long long begin = clock64();                                                                            \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) { TIMES16(STEP(p)); }                              \
    long long end = clock64();                                                                              \
    result[0] = end - begin;                                                                                \
    result[1] = (long long)(p - (unsigned long long)ring) / 8;                                              \
  }
CHASE(chase_ca, STEP_CA)
CHASE(chase_cg, STEP_CG)

/* clocks per line of a ring whose every place points to itself */
extern "C" __global__ void chase_lines(unsigned long long* ring, int lines, int stride, int rounds, int* clocks) {
  for (int i = 0; i < lines; i++) {
    unsigned long long p = (unsigned long long)(ring + (long long)i * stride);
    STEP_CG(p);
    long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < rounds; k++) { TIMES16(STEP_CG(p)); }
    clocks[i] = (int)(clock64() - begin) + (p == 0);
  }
}

extern "C" __global__ void chase_shared(int rounds, long long* result) {
  __shared__ unsigned tile[1024];
  unsigned first = SHARED_FIRST(tile);
  for (int i = 0; i < 1024; i++) tile[i] = first + (i + 33) % 1024 * 4;
  unsigned p = first;
  long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < rounds; k++) { TIMES16(STEP_SHARED(p, tile)); }
  long long end = clock64();
  result[0] = end - begin;
  result[1] = p - first;
}

#define DEPENDENT(name, type)                                                                               \
  extern "C" __global__ void name(type m, type s, int rounds, long long* result) {                          \
    type a = m + (type)threadIdx.x;                                                             \
    long long begin = clock64();                                                                            \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) { TIMES16(a = a * m + s); }                        \
    long long end = clock64();                                                                              \
    result[0] = end - begin;                                                                                \
    result[1] = (long long)a;                                                                               \
  }
DEPENDENT(chain_fp32, float)
DEPENDENT(chain_fp64, double)
