#include <stdio.h>

enum { NY = 450, NX = 620 };
#define DX 12.5

static double perm[NY][NX], head[NY][NX], qx[NY][NX];

/* flow through the faces between a cell and its right neighbour; harmonic mean of both permeabilities */
void darcy_flux(double k[NY][NX], double p[NY][NX], double q[NY][NX])
{
    int i, j;
    for (i = 0; i < NY; i++) {
        for (j = 0; j < NX - 1; j++) {
            double face = 2.0 * k[i][j] * k[i][j + 1] / (k[i][j] + k[i][j + 1]);
            q[i][j] = face * (p[i][j] - p[i][j + 1]) / DX;
        }
    }
}

int main(void)
{
    int i, j;
    for (i = 0; i < NY; i++)
        for (j = 0; j < NX; j++) {
            perm[i][j] = 1e-3 * (1 + (i * 31 + j * 17) % 13);
            head[i][j] = 80.0 - 0.05 * j;
        }
    darcy_flux(perm, head, qx);
    printf("%g\n", qx[NY / 2][NX / 2]);
    return 0;
}
