/* y = A' (A x) */
enum { M = 1800, N = 2100 };

void atax(const float A[M][N], const float x[N], float y[N], float tmp[M])
{
    for (int j = 0; j < N; j++)
        y[j] = 0.0f;
    for (int i = 0; i < M; i++) {
        tmp[i] = 0.0f;
        for (int j = 0; j < N; j++)
            tmp[i] += A[i][j] * x[j];
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            y[j] += A[i][j] * tmp[i];
}
