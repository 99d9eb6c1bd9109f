/*
 * In-situ density of sea water on an ocean model grid (short form of the
 * UNESCO equation of state).  Part of a toy ocean model.
 * Checked: compiles; operations per point counted with numbers that count themselves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 31, NY = 120, NX = 180 };
#define IDX(k, j, i) (((size_t)(k) * NY + (j)) * NX + (i))

static inline double rho_surface(double t, double s)
{
    double pure = 999.842594 + t * (6.793952e-2 + t * (-9.095290e-3 + t * 1.001685e-4));
    double a = 0.824493 + t * (-4.0899e-3 + t * 7.6438e-5);
    double b = -5.72466e-3 + t * 1.0227e-4;
    return pure + s * a + s * sqrt(s) * b;
}

void density(const double *restrict temp, const double *restrict salt,
             const double *restrict pbar, double *restrict rho)
{
    for (int k = 0; k < NZ; ++k) {
        const double p = pbar[k];
        for (int j = 0; j < NY; ++j) {
            for (int i = 0; i < NX; ++i) {
                const double t = temp[IDX(k, j, i)];
                const double bulk = 19652.21 + t * 148.4206;
                rho[IDX(k, j, i)] = rho_surface(t, salt[IDX(k, j, i)]) / (1.0 - p / bulk);
            }
        }
    }
}

int main(void)
{
    const size_t n = (size_t)NZ * NY * NX;
    double *t = malloc(n * sizeof *t), *s = malloc(n * sizeof *s), *r = malloc(n * sizeof *r);
    double p[NZ];
    if (!t || !s || !r) return 1;
    for (int k = 0; k < NZ; ++k) {
        p[k] = 15.0 * k;
        for (int j = 0; j < NY; ++j)
            for (int i = 0; i < NX; ++i) {
                t[IDX(k, j, i)] = 25.0 * exp(-0.1 * k) + 2.0 * sin(0.05 * j);
                s[IDX(k, j, i)] = 34.5 + 0.5 * cos(0.03 * i);
            }
    }
    density(t, s, p, r);
    printf("rho top %.4f bottom %.4f\n", r[0], r[n - 1]);
    free(t); free(s); free(r);
    return 0;
}
