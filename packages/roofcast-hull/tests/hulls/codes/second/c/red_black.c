/* Half a sweep of Gauss-Seidel on a chess board. */
#define N 1026

void half_sweep(float u[N][N], const float f[N][N], int colour)
{
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
            u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}
