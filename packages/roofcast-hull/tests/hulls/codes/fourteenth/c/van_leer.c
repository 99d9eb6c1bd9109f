/* Advection of a tracer along x with van Leer's harmonic limiter; wind is from the west everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NY 512
#define NX 1024
#define IDX(j, i) ((j) * NX + (i))

static double slope(double l, double m, double r)
{
    double a = m - l, b = r - m;
    double p = a * b;
    return p > 0.0 ? 2.0 * p / (a + b) : 0.0;
}

void transport(const double *q, double *qn, double cfl)
{
    const double w = 0.5 * (1.0 - cfl);
    for (int j = 0; j < NY; j++)
        for (int i = 2; i < NX - 1; i++) {
            double east = q[IDX(j, i)] + w * slope(q[IDX(j, i - 1)], q[IDX(j, i)], q[IDX(j, i + 1)]);
            double west = q[IDX(j, i - 1)] + w * slope(q[IDX(j, i - 2)], q[IDX(j, i - 1)], q[IDX(j, i)]);
            qn[IDX(j, i)] = q[IDX(j, i)] - cfl * (east - west);
        }
}

/* mean over the latitude circle */
void zonal(const double *q, double *mean)
{
    for (int j = 0; j < NY; j++) {
        double s = 0;
        for (int i = 0; i < NX; i++)
            s += q[IDX(j, i)];
        mean[j] = s / NX;
    }
}

int main(void)
{
    double *q = calloc(NX * NY, sizeof(double)), *qn = calloc(NX * NY, sizeof(double));
    double mean[NY];
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            q[IDX(j, i)] = exp(-0.001 * (i - 300) * (i - 300)) + 1e-3 * j;
    for (int t = 0; t < 10; t++) {
        transport(q, qn, 0.4);
        double *s = q; q = qn; qn = s;
    }
    zonal(q, mean);
    printf("%g %g\n", mean[0], mean[NY - 1]);
    free(q); free(qn);
    return 0;
}
