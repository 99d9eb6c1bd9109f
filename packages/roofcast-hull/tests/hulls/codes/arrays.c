/* Everyday loops over arrays, written from the definitions of the algorithms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define N 65536
#define M 4096
#define T 50
#define R 512
#define C 1024

void saxpy(float a, const float *x, float *y) {
    for (int i = 0; i < N; i++)
        y[i] = a * x[i] + y[i];
}

void scale_by_pointer(const float *s, float *d, float k) {
    int n = N;
    while (n--)
        *d++ = k * *s++;
}

float dot(const float *x, const float *y) {
    float sum = 0.0f;
    for (int i = 0; i < N; ++i)
        sum += x[i] * y[i];
    return sum;
}

/* Largest element and where it stands. */
int argmax(const float *x) {
    float best = x[0];
    int at = 0;
    for (int i = 1; i < N; i++) {
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
    }
    return at;
}

/* Serial: every element waits for the one before it. */
void prefix_sum(const float *x, float *y) {
    float sum = 0;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

/* Serial too, in the scalar. */
void exponential_average(const double *x, double *y, double alpha) {
    double mean = x[0];
    for (int i = 0; i < N; i++) {
        mean = alpha * x[i] + (1 - alpha) * mean;
        y[i] = mean;
    }
}

/* One recurrence per row: rows are independent. */
void exponential_rows(const float x[R][C], float y[R][C], float alpha) {
    for (int r = 0; r < R; r++) {
        float mean = x[r][0];
        for (int t = 0; t < C; t++) {
            mean = mean + alpha * (x[r][t] - mean);
            y[r][t] = mean;
        }
    }
}

/* The centre is read beside a loop over the neighbours. */
void sharpen_1d(const float *in, float *out) {
    for (int i = 3; i < N - 3; i++) {
        float sum = 0;
        for (int k = -3; k <= 3; k++)
            sum += in[i + k];
        out[i] = 2 * in[i] - sum / 7;
    }
}

void heat_1d(float *a, float *b) {
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
        float *swap = a;
        a = b;
        b = swap;
    }
}

void polar_to_cartesian(const double *radius, const double *angle, double *x, double *y) {
    for (int i = 0; i < N; i++) {
        x[i] = radius[i] * cos(angle[i]);
        y[i] = radius[i] * sin(angle[i]);
    }
}

void scatter_add(const int *idx, const float *v, float *out, int BINS) {
    for (int i = 0; i < N; i++)
        out[idx[i]] += v[i];
}

void histogram(const unsigned char *data, int hist[256]) {
    for (int i = 0; i < N; i++)
        hist[data[i]]++;
}

struct particle { float x, y, z, mass; };

/* All pairs: every particle reads all others. */
void forces(const struct particle p[M], float f[M]) {
    for (int i = 0; i < M; i++) {
        float sum = 0;
        for (int j = 0; j < M; j++) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            sum += p[j].mass / (r2 * sqrtf(r2));
        }
        f[i] = sum;
    }
}

/* How often the loop runs depends on the data. */
void newton_roots(const double *x, double *root) {
    for (int i = 0; i < N; i++) {
        double g = x[i];
        while (fabs(g * g - x[i]) > 1e-12)
            g = 0.5 * (g + x[i] / g);
        root[i] = g;
    }
}

void apply(int mode, const float *a, const float *b, float *c) {
    switch (mode) {
    case 0:
        for (int i = 0; i < N; i++)
            c[i] = a[i] + b[i];
        break;
    case 1:
        for (int i = 0; i < N; i++)
            c[i] = a[i] * b[i];
        break;
    default:
        for (int i = 0; i < N; i++)
            c[i] = a[i];
    }
}

int main(int argc, char **argv) {
    double *a = (double *)malloc(N * sizeof(double));
    double *b = malloc(N * sizeof *b), *c = malloc(N * sizeof *c);
    clock_t start = clock();
    for (int i = 0; i < N; i++)
        a[i] = b[i] + 3.0 * c[i];
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("triad: %g GB/s\n", 3.0 * N * sizeof(double) / seconds / 1e9);
    free(a);
    free(b);
    free(c);
    return 0;
}
