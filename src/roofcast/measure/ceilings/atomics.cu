/* Additions that return nothing: threads x rounds x 8. stride = 0: all on one address; stride = 1: a warp on neighbouring
   words; stride = 8: one sector of 32 bytes per thread, within `words` (a power of two) words. */
#include "portable.cuh"

extern "C" __global__ void atomics(unsigned* data, int stride, int words, int rounds) {
  unsigned* p = data + (((blockIdx.x * blockDim.x + threadIdx.x) * (unsigned)stride) & (unsigned)(words - 1));
  unsigned one = rounds > 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(ADD_ONE(p, one); ADD_ONE(p, one));
  }
}

/* The same in shared memory: each thread on its own word, or all of a block on one. */
extern "C" __global__ void atomics_shared(unsigned* data, int stride, int rounds) {
  __shared__ unsigned tile[1024];
  unsigned* p = tile + (threadIdx.x * (unsigned)stride & 1023u);
  unsigned one = rounds > 0;
  *p = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(ADD_SHARED(p, one); ADD_SHARED(p, one));
  }
  data[blockIdx.x * blockDim.x + threadIdx.x] = *p;
}

/* Additions by compare-and-swap, all on one address: threads x rounds, each tried again until it holds. */
extern "C" __global__ void atomics_swap(unsigned* data, int rounds) {
  unsigned old = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    unsigned seen;
    do {
      seen = old;
      old = atomicCAS(data, seen, seen + 1u);
    } while (old != seen);
  }
}
