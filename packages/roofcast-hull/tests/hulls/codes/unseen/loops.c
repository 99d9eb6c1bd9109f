/* C with OpenMP, structures by value, rows by pointer and complex numbers. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define N 1000000
#define BODIES 4096
#define ROWS 2048
#define COLS 1024

double conjugate_step(double *restrict x, double *restrict r, const double *restrict p, const double *restrict q, double alpha) {
    double rr = 0.0;
#pragma omp parallel for simd reduction(+ : rr) schedule(static)
    for (int i = 0; i < N; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rr += r[i] * r[i];
    }
    return rr;
}

typedef struct {
    double x, y, z;
} vec3;

static inline vec3 sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double dot3(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 add_scaled(vec3 a, vec3 b, double s) {
    vec3 c = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return c;
}

void gravity(const vec3 pos[BODIES], const double mass[BODIES], vec3 acc[BODIES]) {
#pragma omp parallel for
    for (int i = 0; i < BODIES; i++) {
        vec3 a = {0, 0, 0};
        for (int j = 0; j < BODIES; j++) {
            vec3 d = sub(pos[j], pos[i]);
            double r2 = dot3(d, d) + 1e-9;
            double inv = 1.0 / (r2 * sqrt(r2));
            a = add_scaled(a, d, mass[j] * inv);
        }
        acc[i] = a;
    }
}

void rotate_phase(const double complex *a, const double complex *b, double complex *z, int n) {
    for (int i = 0; i < n; i++) z[i] = a[i] * b[i] + z[i];
}

void run_phase(double complex *a, double complex *b, double complex *z) { rotate_phase(a, b, z, 65536); }

void matvec_rows(double **a, const double *x, double *y) {
    for (size_t i = 0; i < ROWS; ++i) {
        double s = 0;
        for (size_t j = 0; j < COLS; ++j) s += a[i][j] * x[j];
        y[i] = s;
    }
}

void fft_recursive(double *re, double *im, int n, int step) {
    if (n == 1) return;
    fft_recursive(re, im, n / 2, step * 2);
    fft_recursive(re + step, im + step, n / 2, step * 2);
    for (int k = 0; k < n / 2; k++) {
        double c = cos(2 * M_PI * k / n), s = sin(2 * M_PI * k / n);
        double tr = c * re[(2 * k + 1) * step] + s * im[(2 * k + 1) * step];
        re[k * step] = re[2 * k * step] + tr;
    }
}

void dct_blocks(const float image[512][512], const float table[8][8], float out[512][512]) {
#pragma omp parallel for collapse(2)
    for (int by = 0; by < 512; by += 8)
        for (int bx = 0; bx < 512; bx += 8)
            for (int u = 0; u < 8; u++)
                for (int v = 0; v < 8; v++) {
                    float s = 0;
                    for (int y = 0; y < 8; y++)
                        for (int x = 0; x < 8; x++) s += image[by + y][bx + x] * table[u][y] * table[v][x];
                    out[by + u][bx + v] = s;
                }
}

long count_vowels(const char text[1 << 20]) {
    long n = 0;
    for (long i = 0; i < 1 << 20; i++) {
        char c = text[i] | 32;
        if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u') n++;
    }
    return n;
}

double trapezoids(const double *x, const double *y) {
    double area = 0;
    for (int i = 0; i + 1 < N; i++) area += 0.5 * (x[i + 1] - x[i]) * (y[i + 1] + y[i]);
    return area;
}

void autocorrelation(const float *x, float *r) {
    for (int lag = 0; lag < 64; lag++) {
        float s = 0;
        for (int i = 0; i < 100000 - 64; i++) s += x[i] * x[i + lag];
        r[lag] = s;
    }
}

void merge(const int *a, const int *b, int *out, int n, int m) {
    int i = 0, j = 0, k = 0;
    while (i < n && j < m) out[k++] = a[i] <= b[j] ? a[i++] : b[j++];
    while (i < n) out[k++] = a[i++];
    while (j < m) out[k++] = b[j++];
}

void power_iteration(const double A[ROWS][ROWS], double v[ROWS], double w[ROWS]) {
    for (int it = 0; it < 20; it++) {
        double norm = 0;
        for (int i = 0; i < ROWS; i++) {
            w[i] = 0;
            for (int j = 0; j < ROWS; j++) w[i] += A[i][j] * v[j];
            norm += w[i] * w[i];
        }
        norm = sqrt(norm);
        for (int i = 0; i < ROWS; i++) v[i] = w[i] / norm;
    }
}
