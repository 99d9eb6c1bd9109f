/* Backward Euler for heat in soil: every column of the grid is a tridiagonal system of its own. */
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 20, NCOL = 30000 };

/* t[k][c]: temperature of layer k in column c; kappa: diffusion number dt*K/dz^2 of each column */
void soil_step(double (*t)[NCOL], const double *kappa)
{
    for (int c = 0; c < NCOL; c++) {
        double cp[NZ], dp[NZ];
        double a = -kappa[c];
        double b = 1.0 + 2.0 * kappa[c];
        cp[0] = a / b;
        dp[0] = t[0][c] / b;
        for (int k = 1; k < NZ; k++) {
            double m = 1.0 / (b - a * cp[k - 1]);
            cp[k] = a * m;
            dp[k] = (t[k][c] - a * dp[k - 1]) * m;
        }
        t[NZ - 1][c] = dp[NZ - 1];
        for (int k = NZ - 2; k >= 0; k--)
            t[k][c] = dp[k] - cp[k] * t[k + 1][c];
    }
}

int main(void)
{
    double (*t)[NCOL] = malloc(sizeof(double) * NZ * NCOL);
    double *kappa = malloc(sizeof(double) * NCOL);
    for (int c = 0; c < NCOL; c++) {
        kappa[c] = 0.2 + 1e-5 * c;
        for (int k = 0; k < NZ; k++)
            t[k][c] = 283.0 + k * 0.1;
    }
    for (int s = 0; s < 5; s++)
        soil_step(t, kappa);
    printf("%f %f\n", t[0][0], t[NZ - 1][NCOL - 1]);
    free(t);
    free(kappa);
    return 0;
}
