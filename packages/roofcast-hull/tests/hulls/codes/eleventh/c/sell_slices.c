/* SELL-8 storage: rows in slices of eight, every slice 16 wide. One damped Jacobi sweep is
   a product, an update, and a norm. */
#include <stdio.h>
#include <stdlib.h>

#define CHUNK 8
#define SLICES 2500
#define SWIDTH 16
#define N (CHUNK * SLICES)

typedef struct {
    double *val;
    int *col;
    double *diag;
} sell_t;

static void sell_mult(const double *val, const int *col, const double *x, double *y)
{
    for (int s = 0; s < SLICES; s++) {
        double acc[CHUNK] = {0};
        for (int j = 0; j < SWIDTH; j++) {
            const int base = (s * SWIDTH + j) * CHUNK;
            for (int l = 0; l < CHUNK; l++)
                acc[l] += val[base + l] * x[col[base + l]];
        }
        for (int l = 0; l < CHUNK; l++)
            y[s * CHUNK + l] = acc[l];
    }
}

static void damped_update(double *x, const double *y, const double *b, const double *diag, double w)
{
    for (int i = 0; i < N; i++)
        x[i] += w * (b[i] - y[i]) / diag[i];
}

static double residual2(const double *b, const double *y)
{
    double sum = 0.0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        double r = b[i] - y[i];
        sum += r * r;
    }
    return sum;
}

int main(void)
{
    sell_t A;
    A.val = malloc(sizeof(double) * N * SWIDTH);
    A.col = malloc(sizeof(int) * N * SWIDTH);
    A.diag = malloc(sizeof(double) * N);
    double *x = calloc(N, sizeof(double)), *y = calloc(N, sizeof(double)), *b = malloc(sizeof(double) * N);
    for (int i = 0; i < N * SWIDTH; i++) {
        const int slot = i / CHUNK % SWIDTH, row = i / (CHUNK * SWIDTH) * CHUNK + i % CHUNK;
        A.val[i] = slot == 0 ? 2.0 : -0.01;
        A.col[i] = slot == 0 ? row : rand() % N;
    }
    for (int i = 0; i < N; i++) {
        A.diag[i] = 2.0;
        b[i] = 1.0;
    }
    for (int it = 0; it < 3; it++) {
        sell_mult(A.val, A.col, x, y);
        damped_update(x, y, b, A.diag, 0.8);
        printf("%g\n", residual2(b, y));
    }
    return 0;
}
