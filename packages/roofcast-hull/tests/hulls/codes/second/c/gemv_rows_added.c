/* y += transposed A times x, a row after the other. */
#define M 2000
#define N 3000

void add_rows(double A[M][N], const double x[M], double y[N])
{
    for (int i = 0; i < M; i++) {
        const double xi = x[i];
#pragma omp simd
        for (int j = 0; j < N; j++)
            y[j] += A[i][j] * xi;
    }
}
