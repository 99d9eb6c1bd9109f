/* One sweep of Jacobi with the largest change. */
#include <math.h>
#include <stdio.h>
#define N 1024

static double a[N][N], b[N][N];

double sweep(double in[N][N], double out[N][N])
{
    double largest = 0.0;
#pragma omp parallel for collapse(2) reduction(max : largest)
    for (int i = 1; i < N - 1; i++) {
        for (int j = 1; j < N - 1; j++) {
            out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
            largest = fmax(largest, fabs(out[i][j] - in[i][j]));
        }
    }
    return largest;
}

int main(void)
{
    double change = 1.0;
    int steps = 0;
    while (change > 1e-4 && steps++ < 1000) {
        change = sweep(a, b);
        change = sweep(b, a);
    }
    printf("%d %g\n", steps, change);
    return 0;
}
