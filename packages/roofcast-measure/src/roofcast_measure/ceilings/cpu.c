/* The host's ceilings: STREAM kernels over doubles, and chains of multiply-adds in vector registers. */
#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef double D __attribute__((vector_size(BYTES), aligned(8)));
typedef float F __attribute__((vector_size(BYTES), aligned(4)));

int vector_bytes(void) { return BYTES; }
void init(double* a, const double* b, const double* c, long n) { for (long i = 0; i < n; i++) a[i] = 1.0; }
void copy(double* a, const double* b, const double* c, long n) { for (long i = 0; i < n; i++) a[i] = b[i]; }
void scale(double* a, const double* b, const double* c, long n) { for (long i = 0; i < n; i++) a[i] = 3.0 * b[i]; }
void add(double* a, const double* b, const double* c, long n) { for (long i = 0; i < n; i++) a[i] = b[i] + c[i]; }
void triad(double* a, const double* b, const double* c, long n) { for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i]; }

/* ten chains; factor and summand come from outside, so that nothing is known when compiled */
#define CHAINS(name, V, T)                                                                              \
  double name(double factor, double summand, long rounds) {                                             \
    V m = (V){0} + (T)factor, s = (V){0} + (T)summand;                                                  \
    V a = s, b = s + m, c = b + m, d = c + m, e = d + m, f = e + m, g = f + m, h = g + m, i = h + m, j = i + m; \
    for (long k = 0; k < rounds; k++) {                                                                 \
      a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s; e = e * m + s;                        \
      f = f * m + s; g = g * m + s; h = h * m + s; i = i * m + s; j = j * m + s;                        \
    }                                                                                                   \
    return (double)(a + b + c + d + e + f + g + h + i + j)[0];                                          \
  }
CHAINS(fma_fp64, D, double)
CHAINS(fma_fp32, F, float)
