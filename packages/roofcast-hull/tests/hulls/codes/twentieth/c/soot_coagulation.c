/* Sectional coagulation of soot: one box, NBIN size classes on a linear grid. */
#include <math.h>
#include <stdio.h>
#define NBIN 600

static double K[NBIN][NBIN], n[NBIN], loss[NBIN], gain[NBIN], vol[NBIN];

static void kernel_table(void)
{
    int i, j;
    for (i = 0; i < NBIN; i++)
        for (j = 0; j < NBIN; j++) {
            double a = cbrt(vol[i]), b = cbrt(vol[j]);
            K[i][j] = (a + b) * (1.0 / a + 1.0 / b);
        }
}

static void losses(void)
{
    int i, j;
    for (i = 0; i < NBIN; i++) {
        loss[i] = 0.0;
        for (j = 0; j < NBIN; j++)
            loss[i] += K[i][j] * n[j];
        loss[i] *= n[i];
    }
}

static void step(double dt)
{
    int i;
    for (i = 0; i < NBIN; i++) {
        double d = gain[i] - loss[i];
        n[i] += dt * d;
        if (n[i] < 0.0)
            n[i] = 0.0;
    }
}

int main(void)
{
    for (int i = 0; i < NBIN; i++) {
        vol[i] = 1.0 + i;
        n[i] = exp(-i / 40.0);
    }
    kernel_table();
    for (int t = 0; t < 20; t++) {
        losses();
        step(1e-4);
    }
    printf("%g\n", n[0]);
    return 0;
}
