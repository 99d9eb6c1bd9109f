/* Kernel density estimate on a regular grid, plus summary numbers of the sample.
 * By hand; self-counting run at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 3000
#define GRID 1500

void kde_gauss(const double *restrict x, const double *restrict grid, double *restrict dens, double h)
{
    const double norm = 1.0 / (SAMPLES * h * sqrt(2.0 * 3.14159265358979));
    #pragma omp parallel for
    for (int g = 0; g < GRID; g++) {
        double s = 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            double u = (grid[g] - x[i]) / h;
            s += exp(-0.5 * u * u);
        }
        dens[g] = norm * s;
    }
}

/* third and fourth standardised moments, two passes */
void skew_kurt(const double *x, double *skew, double *kurt)
{
    double mean = 0.0;
    for (int i = 0; i < SAMPLES; i++)
        mean += x[i];
    mean /= SAMPLES;
    double m2 = 0.0, m3 = 0.0, m4 = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double d = x[i] - mean;
        double d2 = d * d;
        m2 += d2;
        m3 += d2 * d;
        m4 += d2 * d2;
    }
    m2 /= SAMPLES;
    m3 /= SAMPLES;
    m4 /= SAMPLES;
    *skew = m3 / (m2 * sqrt(m2));
    *kurt = m4 / (m2 * m2) - 3.0;
}

/* histogram of the sample on 64 equal bins over [lo, hi) */
void bin_sample(const double *x, int *count, double lo, double hi)
{
    const double scale = 64.0 / (hi - lo);
    for (int b = 0; b < 64; b++)
        count[b] = 0;
#pragma omp parallel for
    for (int i = 0; i < SAMPLES; i++) {
        int b = (int)((x[i] - lo) * scale);
        if (b < 0) b = 0;
        if (b > 63) b = 63;
#pragma omp atomic
        count[b]++;
    }
}

int main(void)
{
    static double x[SAMPLES], grid[GRID], dens[GRID];
    static int count[64];
    srand(3);
    for (int i = 0; i < SAMPLES; i++) {
        double u = 0.0;
        for (int k = 0; k < 12; k++)
            u += rand() / (double)RAND_MAX;
        x[i] = u - 6.0;
    }
    for (int g = 0; g < GRID; g++)
        grid[g] = -5.0 + 10.0 * g / GRID;
    double sk, ku;
    kde_gauss(x, grid, dens, 0.2);
    skew_kurt(x, &sk, &ku);
    bin_sample(x, count, -4.0, 4.0);
    printf("density(0) %.5f skew %.4f kurt %.4f mid bin %d\n", dens[GRID / 2], sk, ku, count[32]);
    return 0;
}
