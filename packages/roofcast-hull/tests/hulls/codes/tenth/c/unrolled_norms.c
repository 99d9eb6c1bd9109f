/* Level-1 helpers with the customary clean-up loop and manual unrolling.
 * Self-counted at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 400003

double asum(const double *x, int n)
{
    int m = n % 6;
    double t = 0.0;
    for (int i = 0; i < m; i++)
        t += fabs(x[i]);
    for (int i = m; i < n; i += 6)
        t += fabs(x[i]) + fabs(x[i + 1]) + fabs(x[i + 2]) + fabs(x[i + 3]) + fabs(x[i + 4]) + fabs(x[i + 5]);
    return t;
}

/* Givens rotation of two vectors */
void rot(double *restrict x, double *restrict y, double c, double s, int n)
{
    int i;
    for (i = 0; i + 3 < n; i += 4) {
        double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        double y0 = y[i], y1 = y[i + 1], y2 = y[i + 2], y3 = y[i + 3];
        x[i] = c * x0 + s * y0;
        x[i + 1] = c * x1 + s * y1;
        x[i + 2] = c * x2 + s * y2;
        x[i + 3] = c * x3 + s * y3;
        y[i] = c * y0 - s * x0;
        y[i + 1] = c * y1 - s * x1;
        y[i + 2] = c * y2 - s * x2;
        y[i + 3] = c * y3 - s * x3;
    }
    for (; i < n; i++) {
        double x0 = x[i], y0 = y[i];
        x[i] = c * x0 + s * y0;
        y[i] = c * y0 - s * x0;
    }
}

/* largest |x[i]| over every second element */
double amax_stride2(const double *x, int n)
{
    double best = fabs(x[0]);
    for (int i = 2; i < n; i += 2)
        if (fabs(x[i]) > best)
            best = fabs(x[i]);
    return best;
}

int main(void)
{
    double *x = malloc(N * sizeof(double)), *y = malloc(N * sizeof(double));
    if (!x || !y) return 1;
    for (int i = 0; i < N; i++) {
        x[i] = (i % 7) - 3.0;
        y[i] = 0.25 * (i % 5);
    }
    rot(x, y, 0.8, 0.6, N);
    printf("%g %g\n", asum(x, N), amax_stride2(y, N));
    free(x);
    free(y);
    return 0;
}
