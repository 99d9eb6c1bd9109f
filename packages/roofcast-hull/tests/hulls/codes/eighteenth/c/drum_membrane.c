/* A square drum head, clamped at the rim; leapfrog in time with a little air damping. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 514
#define AT(p, r, c) ((p)[(r) * N + (c)])

static void strike(double *u, double cy, double cx, double amp)
{
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            double dy = r - cy, dx = c - cx;
            AT(u, r, c) += amp * exp(-(dy * dy + dx * dx) * 0.02);
        }
}

/* `prev` becomes the next state */
static void leapfrog(double *prev, const double *cur, double c2, double damp)
{
    for (int r = 1; r < N - 1; r++) {
        for (int c = 1; c < N - 1; c++) {
            double lap = AT(cur, r - 1, c) + AT(cur, r + 1, c) + AT(cur, r, c - 1)
                       + AT(cur, r, c + 1) - 4.0 * AT(cur, r, c);
            double vel = AT(cur, r, c) - AT(prev, r, c);
            AT(prev, r, c) = AT(cur, r, c) + damp * vel + c2 * lap;
        }
    }
}

static double strain_energy(const double *u)
{
    double e = 0.0;
#pragma omp parallel for collapse(2) reduction(+ : e)
    for (int r = 0; r < N - 1; r++)
        for (int c = 0; c < N - 1; c++) {
            double gy = AT(u, r + 1, c) - AT(u, r, c);
            double gx = AT(u, r, c + 1) - AT(u, r, c);
            e += gy * gy + gx * gx;
        }
    return 0.5 * e;
}

int main(void)
{
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * N, sizeof *b);
    strike(a, 200.0, 310.0, 1e-3);
    memcpy(b, a, N * N * sizeof *a);
    for (int t = 0; t < 40; t++) {
        leapfrog(a, b, 0.25, 0.998);
        double *s = a; a = b; b = s;
    }
    printf("%g\n", strain_energy(b));
    free(a);
    free(b);
    return 0;
}
