/* Pipe networks: Darcy friction factor by fixed-point iteration of Colebrook-White, head loss of every pipe.
   Blind set: friction_factors is to be refused (iterates until it has converged); head_loss by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NPIPES 500000
static const double G = 9.81;

void friction_factors(const double *reynolds, const double *roughness, const double *dia, double *f, double tol)
{
    for (int i = 0; i < NPIPES; i++) {
        double x = 7.0, previous;
        do {
            previous = x;
            x = -2.0 * log10(roughness[i] / (3.7 * dia[i]) + 2.51 * previous / reynolds[i]);
        } while (fabs(x - previous) > tol);
        f[i] = 1.0 / (x * x);
    }
}

void head_loss(const double *f, const double *len, const double *dia, const double *vel, double *loss)
{
    for (int i = 0; i < NPIPES; i++)
        loss[i] = f[i] * len[i] / dia[i] * vel[i] * vel[i] / (2.0 * G);
}

int main(void)
{
    double *m = malloc(sizeof(double) * NPIPES * 7);
    if (m == NULL) return 1;
    double *re = m, *rough = m + NPIPES, *dia = m + 2 * NPIPES, *f = m + 3 * NPIPES;
    double *len = m + 4 * NPIPES, *vel = m + 5 * NPIPES, *loss = m + 6 * NPIPES;
    for (int i = 0; i < NPIPES; i++) {
        dia[i] = 0.1 + 0.05 * (i % 9);
        vel[i] = 0.5 + 0.1 * (i % 20);
        len[i] = 10.0 + i % 90;
        rough[i] = 1e-5 * (1 + i % 12);
        re[i] = vel[i] * dia[i] / 1.0e-6;
    }
    friction_factors(re, rough, dia, f, 1e-10);
    head_loss(f, len, dia, vel, loss);
    printf("f = %.6f, loss = %.6f m\n", f[NPIPES - 1], loss[NPIPES - 1]);
    free(m);
    return 0;
}
