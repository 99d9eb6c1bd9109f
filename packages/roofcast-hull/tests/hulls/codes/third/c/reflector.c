/*
 * Application of an elementary reflector from the left,
 *     A := (I - tau v v') A,
 * A stored by columns, column after column.
 */
#include <stdlib.h>

void apply_reflector(int m, int n, const double *v, double tau, double *a, int lda)
{
    int i, j;
    for (j = 0; j < n; j++) {
        double w = 0.0;
        double *col = a + j * lda;
        for (i = 0; i < m; i++)
            w += v[i] * col[i];
        w *= tau;
        for (i = 0; i < m; i++)
            col[i] -= v[i] * w;
    }
}

int main(void)
{
    int m = 1200, n = 800;
    double *a = malloc(m * n * sizeof(double));
    double *v = malloc(m * sizeof(double));
    apply_reflector(m, n, v, 1.5, a, m);
    free(v);
    free(a);
    return 0;
}
