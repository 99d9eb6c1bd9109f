/* Gas-phase chemistry of many cells: Arrhenius rate constants, production of three species,
 * and the adiabatic temperature by Newton's iteration until it settles.
 * Self-counted at full size (but the iteration, which data end). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NCELL 40000
#define NREAC 6

static const double Afac[NREAC] = { 1.2e3, 3.4e2, 8.0e1, 2.2e3, 5.5e1, 9.1e2 };
static const double Tact[NREAC] = { 1200.0, 800.0, 300.0, 1500.0, 250.0, 1000.0 };

static double temp[NCELL], kr[NREAC][NCELL];
static double ca[NCELL], cb[NCELL], cc[NCELL], heat[NCELL];

void rate_constants(void)
{
#pragma omp parallel for collapse(2)
    for (int r = 0; r < NREAC; r++)
        for (int i = 0; i < NCELL; i++)
            kr[r][i] = Afac[r] * exp(-Tact[r] / temp[i]);
}

/* A + B <-> C, 2 A <-> B, C -> A, B + C -> heat; explicit Euler in place */
void react(double dt)
{
#pragma omp parallel for simd
    for (int i = 0; i < NCELL; i++) {
        double a = ca[i], b = cb[i], c = cc[i];
        double r0 = kr[0][i] * a * b;
        double r1 = kr[1][i] * c;
        double r2 = kr[2][i] * a * a;
        double r3 = kr[3][i] * b;
        double r4 = kr[4][i] * c;
        double r5 = kr[5][i] * b * c;
        ca[i] = a + dt * (r1 - r0 - 2.0 * r2 + 2.0 * r3 + r4);
        cb[i] = b + dt * (r1 - r0 + r2 - r3 - r5);
        cc[i] = c + dt * (r0 - r1 - r4 - r5);
        heat[i] = r5 * 40.0 + r0 * 10.0 - r1 * 10.0;
    }
}

/* T with cp(T) T = h, cp = 1000 + 0.1 T */
void newton_temperature(double *t, const double *h, double tol)
{
    for (int i = 0; i < NCELL; i++) {
        double x = t[i];
        double f;
        do {
            f = (1000.0 + 0.1 * x) * x - h[i];
            x -= f / (1000.0 + 0.2 * x);
        } while (fabs(f) > tol);
        t[i] = x;
    }
}

int main(void)
{
    double *h = malloc(NCELL * sizeof(double));
    if (!h) return 1;
    for (int i = 0; i < NCELL; i++) {
        temp[i] = 280.0 + i % 50;
        ca[i] = 1e-3 * (1 + i % 3);
        cb[i] = 2e-3;
        cc[i] = 1e-4;
    }
    rate_constants();
    react(1e-3);
    for (int i = 0; i < NCELL; i++)
        h[i] = (1000.0 + 0.1 * temp[i]) * temp[i] + 1e3 * heat[i];
    newton_temperature(temp, h, 1e-8 * 3e5);
    printf("T %.6f a %.9f\n", temp[7], ca[7]);
    free(h);
    return 0;
}
