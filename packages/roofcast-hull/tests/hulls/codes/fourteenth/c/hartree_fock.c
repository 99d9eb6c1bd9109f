/* Coulomb and exchange matrices from all two-electron integrals (no symmetry used; it is only a small basis). */
#include <stdio.h>
#include <stdlib.h>

#define NB 36

typedef double eri_t[NB][NB][NB][NB];

static eri_t eri;
static double D[NB][NB], J[NB][NB], K[NB][NB];

void coulomb(void)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double s = 0.0;
            for (int k = 0; k < NB; k++)
                for (int l = 0; l < NB; l++)
                    s += eri[i][j][k][l] * D[k][l];
            J[i][j] = s;
        }
}

void exchange(void)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double s = 0.0;
            for (int k = 0; k < NB; k++)
                for (int l = 0; l < NB; l++)
                    s += eri[i][k][j][l] * D[k][l];
            K[i][j] = 0.5 * s;
        }
}

int main(void)
{
    double *flat = &eri[0][0][0][0];
    for (long i = 0; i < (long)NB * NB * NB * NB; i++)
        flat[i] = 1.0 / (1.0 + i % 977);
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            D[i][j] = i == j ? 1.0 : 0.02;
    coulomb();
    exchange();
    double e = 0;
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            e += D[i][j] * (J[i][j] - K[i][j]);
    printf("two-electron energy %g\n", 0.5 * e);
    return 0;
}
