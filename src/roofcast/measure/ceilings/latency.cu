/* One thread, one load (or multiply-add) after the other: each waits for the one before. Time in clocks of the SM.

   build links `lines` places, `stride` 8-byte words apart, by their addresses: a chase then computes nothing.
   result[0] = clocks, result[1] = place where the chase stopped (in words from the start of the ring).
   Steps per chase: 16 x rounds. */
#ifndef __CUDACC__
static long long clock64() {
  static long long now = 0;
  return now += 16;
}
#define STEP_CA(p) p = *(unsigned long long*)p
#define STEP_CG(p) p = *(unsigned long long*)p
#else
#define STEP_CA(p) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory")
#define STEP_CG(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory")
#endif
#define TIMES4(...) __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__
#define TIMES16(...) TIMES4(TIMES4(__VA_ARGS__))

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

#ifdef __CUDACC__
extern "C" __global__ void chase_shared(int rounds, long long* result) {
  __shared__ unsigned tile[1024];
  unsigned first = (unsigned)__cvta_generic_to_shared(tile);
  for (int i = 0; i < 1024; i++) tile[i] = first + (i + 33) % 1024 * 4;
  unsigned p = first;
  long long begin = clock64();
#pragma unroll 1
  for (int k = 0; k < rounds; k++) { TIMES16(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory")); }
  long long end = clock64();
  result[0] = end - begin;
  result[1] = p - first;
}

#define DEPENDENT(name, type)                                                                               \
  extern "C" __global__ void name(type m, type s, int rounds, long long* result) {                          \
    type a = m + (type)threadIdx.x;                                                                                            \
    long long begin = clock64();                                                                            \
    _Pragma("unroll 1") for (int k = 0; k < rounds; k++) { TIMES16(a = a * m + s); }                        \
    long long end = clock64();                                                                              \
    result[0] = end - begin;                                                                                \
    result[1] = (long long)a;                                                                               \
  }
DEPENDENT(chain_fp32, float)
DEPENDENT(chain_fp64, double)
#endif
