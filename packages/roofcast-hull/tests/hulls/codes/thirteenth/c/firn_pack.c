/* Firn on a glacier: densification, load and heat of many columns (levels first). */
#include <math.h>
#include <stdio.h>

#define NZ 64
#define NC 20000
#define RHO_ICE 917.0

static double rho[NZ][NC], temp[NZ][NC], tnew[NZ][NC], load[NZ][NC], thick[NZ][NC];
static double accum[NC];

void densify(double dt)
{
    for (int k = 0; k < NZ; k++) {
        for (int c = 0; c < NC; c++) {
            double rate;
            if (rho[k][c] < 550.0)
                rate = 11.0 * exp(-10160.0 / (8.314 * temp[k][c])) * accum[c];
            else
                rate = 575.0 * exp(-21400.0 / (8.314 * temp[k][c])) * sqrt(accum[c]);
            rho[k][c] += dt * rate * (RHO_ICE - rho[k][c]);
        }
    }
}

void overburden(void)
{
#pragma omp parallel for schedule(static)
    for (int c = 0; c < NC; c++) {
        double above = 0.0;
        for (int k = 0; k < NZ; k++) {
            double own = 9.81 * rho[k][c] * thick[k][c];
            load[k][c] = above + 0.5 * own;
            above += own;
        }
    }
}

void conduct(double coef)
{
    for (int k = 1; k < NZ - 1; k++)
        for (int c = 0; c < NC; c++) {
            double r = rho[k][c] / RHO_ICE;
            double cond = 2.1 * r * r;
            tnew[k][c] = temp[k][c] + coef * cond * (temp[k + 1][c] - 2.0 * temp[k][c] + temp[k - 1][c]);
        }
}

int main(void)
{
    for (int c = 0; c < NC; c++) {
        accum[c] = 0.2 + 1e-5 * c;
        for (int k = 0; k < NZ; k++) {
            rho[k][c] = 350.0 + 6.0 * k;
            temp[k][c] = 250.0 - 0.1 * k + 1e-4 * c;
            thick[k][c] = 0.25;
        }
    }
    densify(0.02);
    overburden();
    conduct(0.05);
    printf("%g %g %g\n", rho[10][3], load[40][7], tnew[30][100]);
    return 0;
}
