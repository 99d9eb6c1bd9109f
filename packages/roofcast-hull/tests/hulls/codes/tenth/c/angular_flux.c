/* SN transport mini-app pieces: scalar flux moments of the angular flux, the scattering source,
 * and the sweep of one octant. Self-counting numbers at full size. */
#include <stdio.h>
#include <stdlib.h>

#define NX 24
#define NY 24
#define NZ 24
#define NANG 16
#define NG 8
#define NCELL (NX * NY * NZ)

static double psi[NG][NCELL][NANG];
static double phi[NG][NCELL], src[NG][NCELL];
static double w[NANG], mu[NANG], eta[NANG], xi[NANG];
static double sigs[NG][NG], sigt[NG];

void flux_moment0(void)
{
#pragma omp parallel for collapse(2)
    for (int g = 0; g < NG; g++)
        for (int c = 0; c < NCELL; c++) {
            double s = 0.0;
            for (int a = 0; a < NANG; a++)
                s += w[a] * psi[g][c][a];
            phi[g][c] = s;
        }
}

void scatter_source(double q)
{
#pragma omp parallel for collapse(2)
    for (int g = 0; g < NG; g++)
        for (int c = 0; c < NCELL; c++) {
            double s = q;
            for (int gp = 0; gp < NG; gp++)
                s += sigs[g][gp] * phi[gp][c];
            src[g][c] = s;
        }
}

/* first octant, diamond difference; upwind cells come first */
void sweep_octant0(double dx, double dy, double dz)
{
    for (int g = 0; g < NG; g++)
        for (int k = 0; k < NZ; k++)
            for (int j = 0; j < NY; j++)
                for (int i = 0; i < NX; i++) {
                    int c = (k * NY + j) * NX + i;
                    for (int a = 0; a < NANG; a++) {
                        double inx = i > 0 ? psi[g][c - 1][a] : 0.0;
                        double iny = j > 0 ? psi[g][c - NX][a] : 0.0;
                        double inz = k > 0 ? psi[g][c - NX * NY][a] : 0.0;
                        double num = src[g][c] + mu[a] / dx * inx + eta[a] / dy * iny + xi[a] / dz * inz;
                        double den = sigt[g] + mu[a] / dx + eta[a] / dy + xi[a] / dz;
                        psi[g][c][a] = num / den;
                    }
                }
}

int main(void)
{
    for (int a = 0; a < NANG; a++) {
        w[a] = 1.0 / NANG;
        mu[a] = 0.2 + 0.03 * a;
        eta[a] = 0.5;
        xi[a] = 0.8 - 0.03 * a;
    }
    for (int g = 0; g < NG; g++) {
        sigt[g] = 1.0 + 0.1 * g;
        for (int h = 0; h < NG; h++)
            sigs[g][h] = g == h ? 0.4 : 0.02;
    }
    for (int it = 0; it < 3; it++) {
        scatter_source(1.0);
        sweep_octant0(0.1, 0.1, 0.1);
        flux_moment0();
    }
    printf("phi centre %.8f\n", phi[2][(NZ / 2 * NY + NY / 2) * NX + NX / 2]);
    return 0;
}
