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

/* What programs write, all on one address: compilers add a warp's up, and one lane asks. Threads x rounds x 8. */
extern "C" __global__ void atomics_summed(unsigned* data, int rounds) {
  unsigned one = rounds > 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(atomicAdd(data, one); atomicAdd(data, one));
  }
}

/* Additions by compare-and-swap, all on one address: threads x rounds, each tried again until it holds; tries: how often
   each thread tried. */
extern "C" __global__ void atomics_swap(unsigned* data, unsigned* tries, int rounds) {
  unsigned old = 0, tried = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    unsigned seen;
    do {
      seen = old;
      old = atomicCAS(data, seen, seen + 1u);
      tried++;
    } while (old != seen);
    old = seen + 1u;
  }
  tries[blockIdx.x * blockDim.x + threadIdx.x] = tried;
}
