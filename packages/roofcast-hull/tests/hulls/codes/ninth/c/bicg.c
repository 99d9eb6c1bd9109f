/* The two products at the heart of BiCG: s = A^T r and q = A p in one sweep. */
#include <stdio.h>

#ifndef M
#define M 1900
#endif
#ifndef N
#define N 2100
#endif
#define DATA_TYPE double

static DATA_TYPE A[N][M];
static DATA_TYPE s[M], q[N], p[M], r[N];

static void init_array(int m, int n)
{
    int i, j;
    for (i = 0; i < m; i++)
        p[i] = (DATA_TYPE)(i % m) / m;
    for (i = 0; i < n; i++) {
        r[i] = (DATA_TYPE)(i % n) / n;
        for (j = 0; j < m; j++)
            A[i][j] = (DATA_TYPE)(i * (j + 1) % n) / n;
    }
}

static void kernel_bicg(int m, int n, DATA_TYPE A[N][M], DATA_TYPE s[M],
                        DATA_TYPE q[N], DATA_TYPE p[M], DATA_TYPE r[N])
{
    int i, j;

    for (i = 0; i < m; i++)
        s[i] = 0;
    for (i = 0; i < n; i++) {
        q[i] = 0;
        for (j = 0; j < m; j++) {
            s[j] = s[j] + r[i] * A[i][j];
            q[i] = q[i] + A[i][j] * p[j];
        }
    }
}

int main(void)
{
    init_array(M, N);
    kernel_bicg(M, N, A, s, q, p, r);
    printf("%f %f\n", s[M / 2], q[N / 2]);
    return 0;
}
