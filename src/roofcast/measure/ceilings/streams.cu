/* Arrays far larger than every cache, touched once, 16 bytes per thread and access, neighbours beside neighbours.

   Bytes per launch, n pairs of doubles per array: init and read 16 n, copy and scale 32 n, triad 48 n.
   gather reads one of n sectors of 32 bytes per thread in an order that no neighbour shares: 32 n bytes move
   (n is a power of two and the multiplier odd, so each sector is read exactly once).

   Each thread asks for four accesses before it waits for the first (triad: two of each array): an SM of 2048 threads
   then keeps 128 KiB in flight, where Little's law wants bandwidth per SM times latency, up to 50 KiB (B200, under
   load). One access, 32 KiB, would not fill the memory of an H200. */
struct __align__(16) Two {
  double x, y;
};

#define AT(k) (i + (k) * step)
/* the loop over whole batches, the accesses of a batch, and what is left */
#define BATCHES(many)                                                              \
  int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;    \
  for (; AT((many) - 1) < n; i += (many) * step)
#define EACH(many) _Pragma("unroll") for (int k = 0; k < (many); k++)
#define REST for (; i < n; i += step)

extern "C" __global__ void stream_init(Two* a, double value, int n) {
  Two both;
  both.x = both.y = value;
  BATCHES(4) EACH(4) a[AT(k)] = both;
  REST a[i] = both;
}

extern "C" __global__ void stream_read(const Two* __restrict__ a, double* out, int n) {
  double sum = 0.0;
  BATCHES(4) {
    Two v[4];
    EACH(4) v[k] = a[AT(k)];
    EACH(4) sum += v[k].x + v[k].y;
  }
  REST sum += a[i].x + a[i].y;
  if (sum == -1.0) *out = sum;
}

extern "C" __global__ void stream_copy(const Two* __restrict__ a, Two* __restrict__ b, int n) {
  BATCHES(4) {
    Two v[4];
    EACH(4) v[k] = a[AT(k)];
    EACH(4) b[AT(k)] = v[k];
  }
  REST b[i] = a[i];
}

__device__ inline Two times(Two v, double factor) {
  v.x *= factor;
  v.y *= factor;
  return v;
}

extern "C" __global__ void stream_scale(const Two* __restrict__ a, Two* __restrict__ b, double factor, int n) {
  BATCHES(4) {
    Two v[4];
    EACH(4) v[k] = a[AT(k)];
    EACH(4) b[AT(k)] = times(v[k], factor);
  }
  REST b[i] = times(a[i], factor);
}

__device__ inline Two plus(Two v, Two w, double factor) {
  v.x += factor * w.x;
  v.y += factor * w.y;
  return v;
}

extern "C" __global__ void stream_triad(const Two* __restrict__ a, const Two* __restrict__ b, Two* __restrict__ c,
                                 double factor, int n) {
  BATCHES(2) {
    Two v[2], w[2];
    EACH(2) v[k] = a[AT(k)];
    EACH(2) w[k] = b[AT(k)];
    EACH(2) c[AT(k)] = plus(v[k], w[k], factor);
  }
  REST c[i] = plus(a[i], b[i], factor);
}

#define SECTOR(i) data[8ull * (((unsigned)(i) * (unsigned)multiplier) & (unsigned)(n - 1))]
extern "C" __global__ void stream_gather(const int* __restrict__ data, int* out, int multiplier, int n) {
  int found = 0;
  BATCHES(4) {
    int v[4];
    EACH(4) v[k] = SECTOR(AT(k));
    EACH(4) found ^= v[k];
  }
  REST found ^= SECTOR(i);
  if (found == -1) *out = found;
}
#undef AT
#undef BATCHES
#undef EACH
#undef REST
#undef SECTOR
