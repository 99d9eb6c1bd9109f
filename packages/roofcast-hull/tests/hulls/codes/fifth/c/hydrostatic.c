/* Geopotential of the layers of an atmosphere's columns: pressures from the top down, heights from the ground up.
   Levels are the slow dimension, columns the fast one, as the model keeps them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NZ 72
#define NCOL 12000
#define RD 287.04
#define P_TOP 1.0

static double temp[NZ][NCOL], vapour[NZ][NCOL], dp[NZ][NCOL], geo[NZ][NCOL];
static double surface[NCOL];

void geopotential(double t[NZ][NCOL], double q[NZ][NCOL], double delp[NZ][NCOL], double phis[NCOL], double phi[NZ][NCOL])
{
    int c, k;
#pragma omp parallel for private(k)
    for (c = 0; c < NCOL; c++) {
        double p[NZ + 1];
        p[0] = P_TOP;
        for (k = 0; k < NZ; k++)
            p[k + 1] = p[k] + delp[k][c];
        double below = phis[c];
        for (k = NZ - 1; k >= 0; k--) {
            double tv = t[k][c] * (1.0 + 0.608 * q[k][c]);
            double half = 0.5 * RD * tv * log(p[k + 1] / p[k]);
            phi[k][c] = below + half;
            below += 2.0 * half;
        }
    }
}

int main(void)
{
    for (int k = 0; k < NZ; k++)
        for (int c = 0; c < NCOL; c++) {
            temp[k][c] = 220.0 + 1.0 * k;
            vapour[k][c] = 1e-4 * k;
            dp[k][c] = 100000.0 / NZ;
        }
    for (int c = 0; c < NCOL; c++) surface[c] = 9.81 * (c % 100);
    geopotential(temp, vapour, dp, surface, geo);
    printf("top layer of column 0 at %.1f m\n", geo[0][0] / 9.81);
    return 0;
}
