/* Symmetric rank-2k update  C <- beta*C + alpha*(A B^T + B A^T), row major,
 * all of C written (no triangle tricks).  gcc -O2 symmetric_update.c -lm
 * Checked: compiles (gcc -Wall); operations counted by a small Python loop of reduced size. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 300
#define M 180

static double A[N][M], B[N][M], C[N][N];

static void init(void)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < M; k++) {
            A[i][k] = (double)((i * k + 1) % N) / N;
            B[i][k] = (double)((i * k + 2) % M) / M;
        }
        for (int j = 0; j < N; j++)
            C[i][j] = (double)((i + j + 3) % N) / M;
    }
}

void rank2k(double alpha, double beta, double c[N][N], double a[N][M], double b[N][M])
{
    int i, j, k;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            double acc = 0.0;
            for (k = 0; k < M; k++)
                acc += a[i][k] * b[j][k] + b[i][k] * a[j][k];
            c[i][j] = beta * c[i][j] + alpha * acc;
        }
}

int main(void)
{
    init();
    clock_t t0 = clock();
    rank2k(1.5, 1.2, C, A, B);
    clock_t t1 = clock();
    double trace = 0.0;
    for (int i = 0; i < N; i++) trace += C[i][i];
    printf("trace %.6f  time %.3f ms\n", trace, 1e3 * (t1 - t0) / CLOCKS_PER_SEC);
    return 0;
}
