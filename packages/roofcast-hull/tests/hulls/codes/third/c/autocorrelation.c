#include <stdlib.h>

/* r[k] = sum of x[i] x[i + k], no mean taken off */
void autocorrelation(const double *x, double *r, int n, int lags)
{
    for (int k = 0; k < lags; k++) {
        double sum = 0.0;
        for (int i = 0; i + k < n; i++)
            sum += x[i] * x[i + k];
        r[k] = sum;
    }
}

int main()
{
    const int n = 100000, lags = 128;
    double *x = (double *) malloc(sizeof(double) * n);
    double *r = (double *) malloc(sizeof(double) * lags);
    for (int i = 0; i < n; i++)
        x[i] = i % 17;
    autocorrelation(x, r, n, lags);
    return r[0] > r[1];
}
