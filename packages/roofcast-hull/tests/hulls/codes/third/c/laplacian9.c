#include <stdio.h>
#include <stdlib.h>

/* nine-point Laplacian, arrays of variable length as of C99 */
void laplacian9(int n, int m, double u[n][m], double out[n][m], double h)
{
    const double scale = 1.0 / (6.0 * h * h);
#pragma omp parallel for schedule(static)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            out[i][j] = scale * (4.0 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1])
                                 + u[i - 1][j - 1] + u[i - 1][j + 1] + u[i + 1][j - 1] + u[i + 1][j + 1]
                                 - 20.0 * u[i][j]);
}

int main(void)
{
    enum { N = 1000, M = 1400 };
    double (*u)[M] = malloc(sizeof(double[N][M]));
    double (*out)[M] = malloc(sizeof(double[N][M]));
    laplacian9(N, M, u, out, 0.01);
    printf("%g\n", out[N / 2][M / 2]);
    free(u);
    free(out);
    return 0;
}
