/* G := (A*B) * (C*D), three matrix products after one another. */
#include <stdio.h>
#include <stdlib.h>

enum { NI = 180, NJ = 190, NK = 200, NL = 210, NM = 220 };

typedef double real;

void kernel_3mm(real E[NI][NJ], const real A[NI][NK], const real B[NK][NJ],
                real F[NJ][NL], const real C[NJ][NM], const real D[NM][NL],
                real G[NI][NL])
{
    int i, j, k;

    /* E := A*B */
    for (i = 0; i < NI; i++)
        for (j = 0; j < NJ; j++) {
            E[i][j] = 0.0;
            for (k = 0; k < NK; ++k)
                E[i][j] += A[i][k] * B[k][j];
        }
    /* F := C*D */
    for (i = 0; i < NJ; i++)
        for (j = 0; j < NL; j++) {
            F[i][j] = 0.0;
            for (k = 0; k < NM; ++k)
                F[i][j] += C[i][k] * D[k][j];
        }
    /* G := E*F */
    for (i = 0; i < NI; i++)
        for (j = 0; j < NL; j++) {
            G[i][j] = 0.0;
            for (k = 0; k < NJ; ++k)
                G[i][j] += E[i][k] * F[k][j];
        }
}

static void fill(real *a, int n, int step)
{
    for (int i = 0; i < n; i++)
        a[i] = (real)((i * step + 1) % 97) / 97.0;
}

int main(void)
{
    real (*A)[NK] = malloc(sizeof(real[NI][NK]));
    real (*B)[NJ] = malloc(sizeof(real[NK][NJ]));
    real (*C)[NM] = malloc(sizeof(real[NJ][NM]));
    real (*D)[NL] = malloc(sizeof(real[NM][NL]));
    real (*E)[NJ] = malloc(sizeof(real[NI][NJ]));
    real (*F)[NL] = malloc(sizeof(real[NJ][NL]));
    real (*G)[NL] = malloc(sizeof(real[NI][NL]));

    fill(&A[0][0], NI * NK, 3);
    fill(&B[0][0], NK * NJ, 5);
    fill(&C[0][0], NJ * NM, 7);
    fill(&D[0][0], NM * NL, 11);
    kernel_3mm(E, (const real (*)[NK])A, (const real (*)[NJ])B, F,
               (const real (*)[NM])C, (const real (*)[NL])D, G);
    printf("G[0][0] = %g, G[last] = %g\n", G[0][0], G[NI - 1][NL - 1]);
    free(A); free(B); free(C); free(D); free(E); free(F); free(G);
    return 0;
}
