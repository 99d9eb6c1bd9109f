/* Linear interpolation in a table. */
#include <stdlib.h>

void interpolate(const double table[1025], const double *x, double *y, int n)
{
    int i;
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; i++) {
        int k = (int)x[i];
        double part = x[i] - k;
        y[i] = table[k] + part * (table[k + 1] - table[k]);
    }
}

int main(void)
{
    int n = 500000;
    double table[1025] = {0};
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    interpolate(table, x, y, n);
    return 0;
}
