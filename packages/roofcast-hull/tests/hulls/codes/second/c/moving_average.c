/* Means of eight numbers in a row. */
#include <stdlib.h>
#define WINDOW 8

void moving_average(const double *x, double *y, int n)
{
    int i = 0;
    while (i <= n - WINDOW) {
        double sum = 0.0;
        int k;
        for (k = 0; k < WINDOW; ++k) sum += x[i + k];
        y[i] = sum / WINDOW;
        ++i;
    }
}

int main(void)
{
    int n = 1000000;
    double *x = (double *)calloc(n, sizeof(double));
    double *y = (double *)calloc(n, sizeof(double));
    moving_average(x, y, n);
    free(x);
    free(y);
    return 0;
}
