#include <math.h>
#include <stdio.h>
#define NK 256
#define NB 96
static double eig[NK][NB], occ[NK][NB], wk[NK];

static double electrons(double mu, double kt)
{
    double n = 0;
    for (int k = 0; k < NK; k++)
        for (int b = 0; b < NB; b++)
            n += wk[k] * 2.0 / (1.0 + exp((eig[k][b] - mu) / kt));
    return n;
}

static double find_mu(double want, double kt)
{
    double lo = -20, hi = 20, mu = 0;
    while (hi - lo > 1e-10) {
        mu = 0.5 * (lo + hi);
        if (electrons(mu, kt) < want)
            lo = mu;
        else
            hi = mu;
    }
    return mu;
}

static void fill(double mu, double kt)
{
    for (int k = 0; k < NK; k++)
        for (int b = 0; b < NB; b++)
            occ[k][b] = 2.0 / (1.0 + exp((eig[k][b] - mu) / kt));
}

static double entropy(void)
{
    double s = 0;
    for (int k = 0; k < NK; k++) {
        for (int b = 0; b < NB; b++) {
            double f = 0.5 * occ[k][b] + 1e-300, g = 1.0 - 0.5 * occ[k][b] + 1e-300;
            s -= wk[k] * (f * log(f) + g * log(g));
        }
    }
    return s;
}

int main(void)
{
    for (int k = 0; k < NK; k++) {
        wk[k] = 1.0 / NK;
        for (int b = 0; b < NB; b++)
            eig[k][b] = 0.2 * (b - 40) + 0.1 * cos(0.1 * k);
    }
    double mu = find_mu(80, 0.025);
    fill(mu, 0.025);
    printf("%f %f\n", mu, entropy());
    return 0;
}
