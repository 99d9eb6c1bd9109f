#define N 512
#define BS 64
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void matmul(double A[N][N], double B[N][N], double C[N][N])
{
    int ii, jj, kk, i, j, k;
    for (ii = 0; ii < N; ii += BS)
        for (kk = 0; kk < N; kk += BS)
            for (jj = 0; jj < N; jj += BS)
                for (i = ii; i < MIN(ii + BS, N); i++)
                    for (k = kk; k < MIN(kk + BS, N); k++) {
                        double r = A[i][k];
                        for (j = jj; j < MIN(jj + BS, N); j++)
                            C[i][j] += r * B[k][j];
                    }
}
