/* Additions in L2 that return nothing: threads x rounds x 8. stride = 0: all on one address; stride = 8: one sector of
   32 bytes per thread, within `words` (a power of two) words. */
#include "portable.cuh"

extern "C" __global__ void atomics(unsigned* data, int stride, int words, int rounds) {
  unsigned* p = data + (((blockIdx.x * blockDim.x + threadIdx.x) * (unsigned)stride) & (unsigned)(words - 1));
  unsigned one = rounds > 0;
#pragma unroll 1
  for (int k = 0; k < rounds; k++) {
    TIMES4(ADD_ONE(p, one); ADD_ONE(p, one));
  }
}
