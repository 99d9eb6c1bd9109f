/* Plain C as people write it: constants, pointers, structures, borders, several sums in one nest. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#define N 65536
#define ROWS 512
#define COLS 1024
enum { RADIUS = 3, TAPS = 2 * RADIUS + 1 };
typedef struct { float x, y, z; } vec3;
static const int SIDE = 96;

void axpy_double(double *restrict y, const double *restrict x, double a) {
    for (size_t i = 0; i < N; ++i) y[i] += a * x[i];
}

void copy_bytes(const uint8_t *in, uint8_t *out) {
    for (int i = 0; i < N; i++) out[i] = in[i];
}

void count_bytes(const unsigned char in[N], int bins[256]) {
    for (int i = 0; i < N; i++) bins[in[i]]++;
}

void four_dots(const float *a, const float *b, const float *c, const float *d, float *out) {
    float p = 0, q = 0, r = 0, s = 0;
    for (int i = 0; i < N; i++) {
        p += a[i] * b[i];
        q += a[i] * c[i];
        r += a[i] * d[i];
        s += b[i] * c[i];
    }
    out[0] = p; out[1] = q; out[2] = r; out[3] = s;
}

void mean_and_square(const double *x, double *out) {
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        square += x[i] * x[i];
    }
    out[0] = sum / N;
    out[1] = square / N;
}

void lengths(const vec3 *v, float *out) {
    for (int i = 0; i < N; i++) out[i] = sqrtf(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
}

void blur_7x7(float in[ROWS][COLS], float out[ROWS][COLS], float w[TAPS][TAPS]) {
    for (int r = RADIUS; r < ROWS - RADIUS; r++)
        for (int c = RADIUS; c < COLS - RADIUS; c++) {
            float s = 0;
            for (int i = 0; i < TAPS; i++)
                for (int j = 0; j < TAPS; j++) s += w[i][j] * in[r + i - RADIUS][c + j - RADIUS];
            out[r][c] = s;
        }
}

void guarded_stencil(const float *in, float *out) {
    for (int i = 0; i < N; i++)
        if (i > 0 && i < N - 1) out[i] = in[i + 1] - in[i - 1];
}

void border_branch(float in[ROWS][COLS], float out[ROWS][COLS]) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            if (r == 0 || c == 0 || r == ROWS - 1 || c == COLS - 1) continue;
            out[r][c] = (in[r - 1][c] + in[r + 1][c] + in[r][c - 1] + in[r][c + 1] + in[r][c]) * 0.2f;
        }
}

void heat_steps(double u[SIDE][SIDE][SIDE], double v[SIDE][SIDE][SIDE]) {
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            for (int k = 1; k < SIDE - 1; k++)
                v[i][j][k] = u[i][j][k] + 0.1 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k]
                             + u[i][j][k - 1] + u[i][j][k + 1] - 6.0 * u[i][j][k]);
}

void product(const double *A, const double *B, double *C) {
    const int n = 256;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
            C[i * n + j] = s;
        }
}

void product_transposed(float A[ROWS][COLS], float B[ROWS][COLS], float C[ROWS][ROWS]) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            C[i][j] = 0;
            for (int k = 0; k < COLS; k++) C[i][j] += A[i][k] * B[j][k];
        }
}

void row_sums(float m[ROWS][COLS], float s[ROWS]) {
    for (int r = 0; r < ROWS; r++) {
        s[r] = 0.0f;
        for (int c = 0; c < COLS; c++) s[r] += m[r][c];
    }
}

void column_means(float m[ROWS][COLS], float s[COLS]) {
    for (int c = 0; c < COLS; c++) {
        float t = 0;
        for (int r = 0; r < ROWS; r++) t += m[r][c];
        s[c] = t / ROWS;
    }
}

void rows_and_squares(float m[ROWS][COLS], float s[ROWS], float q[ROWS]) {
    for (int r = 0; r < ROWS; r++) {
        float a = 0, b = 0;
        for (int c = 0; c < COLS; c++) {
            a += m[r][c];
            b += m[r][c] * m[r][c];
        }
        s[r] = a;
        q[r] = b;
    }
}

void flip(float in[ROWS][COLS], float out[ROWS][COLS]) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) out[r][COLS - 1 - c] = in[r][c];
}

void transposed(float in[ROWS][COLS], float out[COLS][ROWS]) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) out[c][r] = in[r][c];
}

void averages_4x4(float in[ROWS][COLS], float out[ROWS / 4][COLS / 4]) {
    for (int r = 0; r < ROWS / 4; r++)
        for (int c = 0; c < COLS / 4; c++) {
            float s = 0;
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) s += in[4 * r + i][4 * c + j];
            out[r][c] = s * 0.0625f;
        }
}

void look_up(const float *table, const int *index, float *out) {
    for (int i = 0; i < N; i++) out[i] = table[index[i]];
}

void outer(const float *a, const float *b, float out[ROWS][COLS]) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) out[r][c] = a[r] * b[c];
}

void mixed(const float *x, const double *y, double *z) {
    for (int i = 0; i < N; i++) z[i] = x[i] * y[i];
}

void fibonacci(float *x) {
    for (int i = 2; i < N; i++) x[i] = x[i - 1] + x[i - 2];
}

void walk(const int *next, int *out) {
    int at = 0;
    for (int i = 0; i < N; i++) { at = next[at]; out[i] = at; }
}

void clamp_all(float *x, float low, float high) {
    for (int i = 0; i < N; i++) {
        if (x[i] < low) x[i] = low;
        else if (x[i] > high) x[i] = high;
    }
}

void saxpy_pointers(float *y, const float *x, float a) {
    const float *end = x + N;
    while (x != end) *y++ += a * *x++;
}

void causal_filter(const float *x, const float *h, float *y) {
    for (int i = 31; i < N; i++) {
        float s = 0;
        for (int k = 0; k < 32; k++) s += h[k] * x[i - k];
        y[i] = s;
    }
}

void norm_inf(const float *x, float *out) {
    float best = 0;
    for (int i = 0; i < N; i++) best = fmaxf(best, fabsf(x[i]));
    *out = best;
}

void interleave(const float *re, const float *im, float *out) {
    for (int i = 0; i < N; i++) {
        out[2 * i] = re[i];
        out[2 * i + 1] = im[i];
    }
}

void triangle(double L[ROWS][ROWS], const double *x, double *y) {
    for (int i = 0; i < ROWS; i++) {
        double s = 0;
        for (int j = 0; j <= i; j++) s += L[i][j] * x[j];
        y[i] = s;
    }
}
