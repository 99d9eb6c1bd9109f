/* gemver: two rank-1 updates, two matrix-vector products, a vector sum (after the BLAS extension of that name).
   Blind set: classes by hand; operations and bytes by hand (10 n^2 + n). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2000
typedef double DATA_TYPE;

static void init_array(DATA_TYPE *alpha, DATA_TYPE *beta, DATA_TYPE A[N][N], DATA_TYPE u1[N], DATA_TYPE v1[N],
                       DATA_TYPE u2[N], DATA_TYPE v2[N], DATA_TYPE w[N], DATA_TYPE x[N], DATA_TYPE y[N], DATA_TYPE z[N])
{
    *alpha = 1.5;
    *beta = 1.2;
    for (int i = 0; i < N; i++) {
        u1[i] = i;
        u2[i] = (i + 1.0) / N / 2.0;
        v1[i] = (i + 1.0) / N / 4.0;
        v2[i] = (i + 1.0) / N / 6.0;
        y[i] = (i + 1.0) / N / 8.0;
        z[i] = (i + 1.0) / N / 9.0;
        x[i] = 0.0;
        w[i] = 0.0;
        for (int j = 0; j < N; j++)
            A[i][j] = (DATA_TYPE)(i * j % N) / N;
    }
}

void kernel_gemver(int n, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[N][N], DATA_TYPE u1[N], DATA_TYPE v1[N],
                   DATA_TYPE u2[N], DATA_TYPE v2[N], DATA_TYPE w[N], DATA_TYPE x[N], DATA_TYPE y[N], DATA_TYPE z[N])
{
    int i, j;

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            x[i] = x[i] + beta * A[j][i] * y[j];

    for (i = 0; i < n; i++)
        x[i] = x[i] + z[i];

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            w[i] = w[i] + alpha * A[i][j] * x[j];
}

int main(void)
{
    DATA_TYPE alpha, beta;
    DATA_TYPE(*A)[N] = malloc(sizeof(DATA_TYPE[N][N]));
    DATA_TYPE *v = malloc(sizeof(DATA_TYPE) * N * 8);
    if (!A || !v) return 1;
    init_array(&alpha, &beta, A, v, v + N, v + 2 * N, v + 3 * N, v + 4 * N, v + 5 * N, v + 6 * N, v + 7 * N);
    kernel_gemver(N, alpha, beta, A, v, v + N, v + 2 * N, v + 3 * N, v + 4 * N, v + 5 * N, v + 6 * N, v + 7 * N);
    double s = 0.0;
    for (int i = 0; i < N; i++) s += v[4 * N + i];
    printf("sum of w: %.6e\n", s);
    free(A);
    free(v);
    return 0;
}
