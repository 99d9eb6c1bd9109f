#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Newton's steps until an orbit's equation holds: as many as its eccentricity wants. */
void eccentric_anomaly(int n, const double *mean, const double *ecc, double *anomaly)
{
    for (int i = 0; i < n; i++) {
        double e = mean[i], step;
        do {
            step = (e - ecc[i] * sin(e) - mean[i]) / (1.0 - ecc[i] * cos(e));
            e -= step;
        } while (fabs(step) > 1e-13);
        anomaly[i] = e;
    }
}

int main(void)
{
    int n = 54000;
    double *m = malloc(n * sizeof *m), *ecc = malloc(n * sizeof *ecc), *e = malloc(n * sizeof *e);
    for (int i = 0; i < n; i++) {
        m[i] = 6.283185307179586 * i / n;
        ecc[i] = 0.01 * (i % 90);
    }
    eccentric_anomaly(n, m, ecc, e);
    printf("%.12f\n", e[n / 3]);
    free(m); free(ecc); free(e);
    return 0;
}
