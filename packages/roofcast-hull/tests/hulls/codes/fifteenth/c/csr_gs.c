/* Gauss-Seidel smoother on a sparse matrix, and the residual before it */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 50000
#define PER_ROW 7
#define NNZ (ROWS * PER_ROW)

static int ptr[ROWS + 1], col[NNZ];
static double val[NNZ], diag[ROWS], x[ROWS], b[ROWS], r[ROWS];

static void residual(void)
{
    for (int i = 0; i < ROWS; i++) {
        double s = b[i];
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            s -= val[k] * x[col[k]];
        r[i] = s;
    }
}

static void gauss_seidel(void)
{
    for (int i = 0; i < ROWS; i++) {
        double s = b[i];
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            if (col[k] != i)
                s -= val[k] * x[col[k]];
        x[i] = s / diag[i];
    }
}

int main(void)
{
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = ptr[i] + PER_ROW;
        diag[i] = 10.0;
        b[i] = 1.0;
        for (int k = 0; k < PER_ROW; k++) {
            int c = (i + k * 37 - 3 * 37 + ROWS) % ROWS;
            col[ptr[i] + k] = c;
            val[ptr[i] + k] = c == i ? 10.0 : -1.0;
        }
    }
    for (int it = 0; it < 4; it++) {
        residual();
        gauss_seidel();
    }
    printf("%g %g\n", r[100], x[100]);
    return 0;
}
