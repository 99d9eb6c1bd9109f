/* A sweep of Jacobi's method: roofcast hull --from-source examples/stencil.c:jacobi --on "A100,H100" */
#define N 4096

double u[N][N], v[N][N];

void jacobi(void)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}
