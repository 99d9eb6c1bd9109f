#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define D 12

/* distance of each sample from the mean, in units of the spread in its direction */
void mahalanobis(long n, const double *x, const double *mu, const double *icov, double *dist)
{
    for (long i = 0; i < n; i++) {
        double diff[D];
        double q = 0.0;
        for (int a = 0; a < D; a++)
            diff[a] = x[i * D + a] - mu[a];
        for (int a = 0; a < D; a++) {
            double t = 0.0;
            for (int b = 0; b < D; b++)
                t += icov[a * D + b] * diff[b];
            q += diff[a] * t;
        }
        dist[i] = sqrt(q);
    }
}

int main(void)
{
    long n = 30000;
    double *x = malloc(n * D * sizeof(double));
    double *dist = malloc(n * sizeof(double));
    double mu[D], icov[D * D];
    for (int a = 0; a < D; a++) {
        mu[a] = 0.1 * a;
        for (int b = 0; b < D; b++)
            icov[a * D + b] = a == b ? 2.0 : 0.05;
    }
    for (long i = 0; i < n * D; i++)
        x[i] = (double)(i % 97) / 97.0;
    mahalanobis(n, x, mu, icov, dist);
    printf("%.6f\n", dist[n - 1]);
    free(x);
    free(dist);
    return 0;
}
