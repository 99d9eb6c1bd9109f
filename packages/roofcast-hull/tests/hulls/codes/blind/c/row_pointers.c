#include <stdlib.h>
#define R 700
#define C 900

double **new_matrix(int rows, int cols)
{
    double **m = malloc(rows * sizeof(double *));
    for (int i = 0; i < rows; i++) m[i] = calloc(cols, sizeof(double));
    return m;
}

void add(double **a, double **b, double **c)
{
    int i, j;
    for (i = 0; i < R; i++)
        for (j = 0; j < C; j++)
            c[i][j] = a[i][j] + b[i][j];
}

void matvec(double **a, const double *x, double *y)
{
    for (int i = 0; i < R; i++) {
        double s = 0;
        for (int j = 0; j < C; j++) s += a[i][j] * x[j];
        y[i] = s;
    }
}

int main(void)
{
    double **a = new_matrix(R, C), **b = new_matrix(R, C), **c = new_matrix(R, C);
    double *x = calloc(C, sizeof *x), *y = calloc(R, sizeof *y);
    add(a, b, c);
    matvec(c, x, y);
    return 0;
}
