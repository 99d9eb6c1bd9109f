#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOPT  1024
#define STEPS 100
#define NODES (2 * STEPS + 1)

/* one call a lane, constant vol and rate */
void lattice(const double *spot, const double *strike, double *value)
{
    const double dt = 1.0 / STEPS, vol = 0.25, r = 0.03;
    const double dx = vol * sqrt(3 * dt), nu = r - 0.5 * vol * vol;
    const double pu = 1.0 / 6 + nu * sqrt(dt / (12 * vol * vol)), pd = 1.0 / 3 - pu, pm = 2.0 / 3;
    const double disc = exp(-r * dt);

#pragma omp parallel for
    for (int o = 0; o < NOPT; o++) {
        double v[NODES];
        for (int i = 0; i < NODES; i++)
            v[i] = fmax(spot[o] * exp(dx * (i - STEPS)) - strike[o], 0.0);
        for (int t = STEPS - 1; t >= 0; t--)
            for (int i = 0; i <= 2 * t; i++)
                v[i] = disc * (pd * v[i] + pm * v[i + 1] + pu * v[i + 2]);
        value[o] = v[0];
    }
}

/* sum of quotes that the lattice misses by more than a tick */
double misfit(const double *value, const double *quote)
{
    double s = 0;
    for (int o = 0; o < NOPT; o++) {
        double d = value[o] - quote[o];
        s += d * d;
    }
    return sqrt(s / NOPT);
}

int main(void)
{
    double *s = malloc(NOPT * sizeof(double)), *k = malloc(NOPT * sizeof(double));
    double *v = malloc(NOPT * sizeof(double)), *q = malloc(NOPT * sizeof(double));
    for (int i = 0; i < NOPT; i++) {
        s[i] = 100;
        k[i] = 60 + 0.08 * i;
        q[i] = fmax(s[i] - k[i], 0) + 5;
    }
    lattice(s, k, v);
    printf("%f %f\n", v[500], misfit(v, q));
    return 0;
}
