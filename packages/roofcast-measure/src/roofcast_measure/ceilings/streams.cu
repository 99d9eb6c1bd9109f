/* Arrays far larger than every cache, touched once, 16 bytes per thread and access, neighbours beside neighbours.

   Bytes per launch, n pairs of doubles per array: init and read 16 n, copy and scale 32 n, triad 48 n.
   gather reads one of n sectors of 32 bytes per thread in an order that no neighbour shares: 32 n bytes move
   (n is a power of two and the multiplier odd, so each sector is read exactly once).

   A block touches a stretch of `many` x its threads x 16 bytes of each array, then one a grid further, until all is done:
   with a block for each stretch they go through the arrays in order, and what is open in DRAM lies close together; blocks
   that stay (a grid that fills the GPU once) drift apart. A thread asks for all `many` accesses before it waits for the
   first: Little's law wants bandwidth per SM times latency in flight, up to 50 KiB (B200, under load).
   _cs: loads and stores that a cache gives up first. Which of them a GPU moves fastest is found out on it. */
#include "portable.cuh"

#define AT(k) (i + (k) * apart)
/* the loop over stretches, the accesses of a whole one, and those of the last */
#define STRETCHES(many)                                                \
  int apart = blockDim.x, step = gridDim.x * (many) * apart;           \
  for (int i = blockIdx.x * (many) * apart + threadIdx.x; i < n; i += step)
#define WHOLE(many) (AT((many) - 1) < n)
#define EACH(many) _Pragma("unroll") for (int k = 0; k < (many); k++)
#define REST(many) _Pragma("unroll 1") for (int k = 0; k < (many) && AT(k) < n; k++)

__device__ inline Two times(Two v, double factor) {
  v.x *= factor;
  v.y *= factor;
  return v;
}

__device__ inline Two plus(Two v, Two w, double factor) {
  v.x += factor * w.x;
  v.y += factor * w.y;
  return v;
}

#define STREAMS(many, suffix, get, put)                                                                             \
  extern "C" __global__ void stream_init##suffix(Two* a, double value, int n) {                                     \
    Two both;                                                                                                       \
    both.x = both.y = value;                                                                                        \
    STRETCHES(many) {                                                                                               \
      if (WHOLE(many)) { EACH(many) put(a + AT(k), both); }                                                         \
      else { REST(many) put(a + AT(k), both); }                                                                     \
    }                                                                                                               \
  }                                                                                                                 \
  extern "C" __global__ void stream_read##suffix(const Two* __restrict__ a, double* out, int n) {                   \
    double sum = 0.0;                                                                                               \
    STRETCHES(many) {                                                                                               \
      if (WHOLE(many)) {                                                                                            \
        Two v[many];                                                                                                \
        EACH(many) v[k] = get(a + AT(k));                                                                           \
        EACH(many) sum += v[k].x + v[k].y;                                                                          \
      } else {                                                                                                      \
        REST(many) {                                                                                                \
          Two v = get(a + AT(k));                                                                                   \
          sum += v.x + v.y;                                                                                         \
        }                                                                                                           \
      }                                                                                                             \
    }                                                                                                               \
    if (sum == -1.0) *out = sum;                                                                                    \
  }                                                                                                                 \
  extern "C" __global__ void stream_copy##suffix(const Two* __restrict__ a, Two* __restrict__ b, int n) {           \
    STRETCHES(many) {                                                                                               \
      if (WHOLE(many)) {                                                                                            \
        Two v[many];                                                                                                \
        EACH(many) v[k] = get(a + AT(k));                                                                           \
        EACH(many) put(b + AT(k), v[k]);                                                                            \
      } else { REST(many) put(b + AT(k), get(a + AT(k))); }                                                         \
    }                                                                                                               \
  }                                                                                                                 \
  extern "C" __global__ void stream_scale##suffix(const Two* __restrict__ a, Two* __restrict__ b, double factor,    \
                                                  int n) {                                                          \
    STRETCHES(many) {                                                                                               \
      if (WHOLE(many)) {                                                                                            \
        Two v[many];                                                                                                \
        EACH(many) v[k] = get(a + AT(k));                                                                           \
        EACH(many) put(b + AT(k), times(v[k], factor));                                                             \
      } else { REST(many) put(b + AT(k), times(get(a + AT(k)), factor)); }                                          \
    }                                                                                                               \
  }                                                                                                                 \
  extern "C" __global__ void stream_triad##suffix(const Two* __restrict__ a, const Two* __restrict__ b,             \
                                                  Two* __restrict__ c, double factor, int n) {                      \
    STRETCHES(many) {                                                                                               \
      if (WHOLE(many)) {                                                                                            \
        Two v[many], w[many];                                                                                       \
        EACH(many) v[k] = get(a + AT(k));                                                                           \
        EACH(many) w[k] = get(b + AT(k));                                                                           \
        EACH(many) put(c + AT(k), plus(v[k], w[k], factor));                                                        \
      } else { REST(many) put(c + AT(k), plus(get(a + AT(k)), get(b + AT(k)), factor)); }                           \
    }                                                                                                               \
  }

STREAMS(1, _1, GET_TWO, PUT_TWO)
STREAMS(4, _4, GET_TWO, PUT_TWO)
STREAMS(8, _8, GET_TWO, PUT_TWO)
STREAMS(4, _4_cs, GET_FIRST_OUT, PUT_FIRST_OUT)
STREAMS(8, _8_cs, GET_FIRST_OUT, PUT_FIRST_OUT)

#define SECTOR(i) data[8ull * (((unsigned)(i) * (unsigned)multiplier) & (unsigned)(n - 1))]
extern "C" __global__ void stream_gather(const int* __restrict__ data, int* out, int multiplier, int n) {
  int found = 0;
  STRETCHES(4) {
    if (WHOLE(4)) {
      int v[4];
      EACH(4) v[k] = SECTOR(AT(k));
      EACH(4) found ^= v[k];
    } else {
      REST(4) found ^= SECTOR(AT(k));
    }
  }
  if (found == -1) *out = found;
}
#undef AT
#undef STRETCHES
#undef WHOLE
#undef EACH
#undef REST
#undef SECTOR
