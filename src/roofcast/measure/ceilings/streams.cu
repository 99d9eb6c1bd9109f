/* Arrays far larger than every cache, touched once, 16 bytes per thread and access, neighbours beside neighbours.

   Bytes per launch, n pairs of doubles per array: init and read 16 n, copy and scale 32 n, triad 48 n.
   gather reads one of n sectors of 32 bytes per thread in an order that no neighbour shares: 32 n bytes move
   (n is a power of two and the multiplier odd, so each sector is read exactly once). */
struct __align__(16) Two {
  double x, y;
};

#define EACH(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

extern "C" __global__ void stream_init(Two* a, double value, int n) {
  Two both;
  both.x = both.y = value;
  EACH(i) a[i] = both;
}

extern "C" __global__ void stream_read(const Two* __restrict__ a, double* out, int n) {
  double sum = 0.0;
  EACH(i) {
    Two v = a[i];
    sum += v.x + v.y;
  }
  if (sum == -1.0) *out = sum;
}

extern "C" __global__ void stream_copy(const Two* __restrict__ a, Two* __restrict__ b, int n) { EACH(i) b[i] = a[i]; }

extern "C" __global__ void stream_scale(const Two* __restrict__ a, Two* __restrict__ b, double factor, int n) {
  EACH(i) {
    Two v = a[i];
    v.x *= factor;
    v.y *= factor;
    b[i] = v;
  }
}

extern "C" __global__ void stream_triad(const Two* __restrict__ a, const Two* __restrict__ b, Two* __restrict__ c,
                                 double factor, int n) {
  EACH(i) {
    Two v = a[i], w = b[i];
    v.x += factor * w.x;
    v.y += factor * w.y;
    c[i] = v;
  }
}

extern "C" __global__ void stream_gather(const int* __restrict__ data, int* out, int multiplier, int n) {
  int found = 0;
  EACH(i) {
    unsigned at = ((unsigned)i * (unsigned)multiplier) & (unsigned)(n - 1);
    found ^= data[8ull * at];
  }
  if (found == -1) *out = found;
}
