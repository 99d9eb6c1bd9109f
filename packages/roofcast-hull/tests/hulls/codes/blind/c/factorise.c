#include <math.h>
#define N 400

void cholesky(double A[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
}

void tridiagonal(const double a[N], const double b[N], const double c[N], double d[N], double cp[N])
{
    cp[0] = c[0] / b[0];
    d[0] /= b[0];
    for (int i = 1; i < N; i++) {
        double m = 1.0 / (b[i] - a[i] * cp[i - 1]);
        cp[i] = c[i] * m;
        d[i] = (d[i] - a[i] * d[i - 1]) * m;
    }
    for (int i = N - 2; i >= 0; i--) d[i] -= cp[i] * d[i + 1];
}
