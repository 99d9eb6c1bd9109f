/* Correlation matrix of N observations of M variables (data mining kernel).
 * Operations counted by a self-counting number at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { M = 240, N = 260 };

static void kernel_correlation(double float_n, double (*restrict data)[M], double (*restrict corr)[M],
                               double *restrict mean, double *restrict stddev)
{
    const double eps = 0.1;

    for (int j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }

    for (int j = 0; j < M; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < N; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= float_n;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }

    /* centre and reduce the column vectors */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(float_n) * stddev[j];
        }

    /* full matrix, the symmetric half computed too */
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double acc = 0.0;
            for (int k = 0; k < N; k++)
                acc += data[k][i] * data[k][j];
            corr[i][j] = acc;
        }
}

int main(int argc, char **argv)
{
    double (*data)[M] = malloc(sizeof(double) * N * M);
    double (*corr)[M] = malloc(sizeof(double) * M * M);
    double *mean = malloc(M * sizeof(double));
    double *stddev = malloc(M * sizeof(double));
    if (!data || !corr || !mean || !stddev)
        return 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            data[i][j] = (double)(i * j % 31) / M + i;
    clock_t t0 = clock();
    kernel_correlation((double)N, data, corr, mean, stddev);
    printf("corr[3][5]=%f  %.1f ms\n", corr[3][5], 1e3 * (clock() - t0) / CLOCKS_PER_SEC);
    free(data); free(corr); free(mean); free(stddev);
    return 0;
}
