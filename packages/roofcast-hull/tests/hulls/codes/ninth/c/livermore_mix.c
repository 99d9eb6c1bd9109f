/*
 * Three of the Livermore-style loops, rewritten for long vectors.
 * gcc -O2 livermore_mix.c -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOP_N   1000000
#define PX_COLS  13

/* loop 7: equation of state fragment */
void equation_of_state(int n, double *restrict x, const double *restrict y,
                       const double *restrict z, const double *restrict u,
                       double q, double r, double t)
{
    int k;
    for (k = 0; k < n; k++) {
        x[k] = u[k] + r * (z[k] + r * y[k]) +
               t * (u[k + 3] + r * (u[k + 2] + r * u[k + 1]) +
                    t * (u[k + 6] + q * (u[k + 5] + q * u[k + 4])));
    }
}

/* loop 9: integrate predictors */
void integrate_predictors(int n, double px[][PX_COLS], const double dm[7], double c0)
{
    int i;
    for (i = 0; i < n; i++) {
        px[i][0] = dm[6] * px[i][12] + dm[5] * px[i][11] + dm[4] * px[i][10] +
                   dm[3] * px[i][9] + dm[2] * px[i][8] + dm[1] * px[i][7] +
                   dm[0] * px[i][6] + c0 * (px[i][4] + px[i][5]) + px[i][2];
    }
}

/* loop 22: Planckian distribution */
void planckian(int n, double *restrict y, double *restrict w,
               const double *restrict u, const double *restrict v,
               const double *restrict x)
{
    int k;
    for (k = 0; k < n; k++) {
        y[k] = u[k] / v[k];
        w[k] = x[k] / (exp(y[k]) - 1.0);
    }
}

static double *vec(size_t n, double base)
{
    double *p = malloc(n * sizeof *p);
    size_t i;
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (i = 0; i < n; i++)
        p[i] = base + 1.0e-7 * (double)(i % 4096);
    return p;
}

int main(void)
{
    const int n = LOOP_N;
    const double dm[7] = {0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17};
    double *x = vec(n, 0.0), *y = vec(n, 0.4), *z = vec(n, 0.3);
    double *u = vec(n + 6, 0.9), *v = vec(n, 0.7), *w = vec(n, 0.0);
    double (*px)[PX_COLS] = (double (*)[PX_COLS])vec((size_t)n * PX_COLS, 0.25);
    double sum = 0.0;
    int k;

    equation_of_state(n, x, y, z, u, 0.5, 0.2, 0.1);
    integrate_predictors(n, px, dm, 0.5);
    planckian(n, y, w, u, v, x);

    for (k = 0; k < n; k += 1000)
        sum += x[k] + w[k] + px[k][0];
    printf("checksum %.10e\n", sum);
    free(x); free(y); free(z); free(u); free(v); free(w); free(px);
    return 0;
}
