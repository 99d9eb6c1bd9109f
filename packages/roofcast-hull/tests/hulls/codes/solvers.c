/* Matrices and solvers. */
#include <math.h>
#define N 512
#define K 256
#define ROWS 4096
#define COLS 512
#define BLOCK 32

void matmul_blocked(const float A[N][K], const float B[K][N], float C[N][N]) {
    for (int ii = 0; ii < N; ii += BLOCK)
        for (int jj = 0; jj < N; jj += BLOCK)
            for (int kk = 0; kk < K; kk += BLOCK)
                for (int i = ii; i < ii + BLOCK; i++)
                    for (int j = jj; j < jj + BLOCK; j++)
                        for (int k = kk; k < kk + BLOCK; k++)
                            C[i][j] += A[i][k] * B[k][j];
}

void matvec(const double *A, const double *x, double *y) {
    for (int i = 0; i < ROWS; i++) {
        const double *row = A + (long)i * COLS;
        double sum = 0;
        for (int j = 0; j < COLS; j++)
            sum += row[j] * x[j];
        y[i] = sum;
    }
}

/* Sums and maxima per row, then every element again. */
void softmax_rows(const float *in, float *out) {
    for (int r = 0; r < ROWS; r++) {
        float most = in[r * COLS];
        for (int c = 1; c < COLS; c++)
            most = fmaxf(most, in[r * COLS + c]);
        float sum = 0;
        for (int c = 0; c < COLS; c++) {
            out[r * COLS + c] = expf(in[r * COLS + c] - most);
            sum += out[r * COLS + c];
        }
        for (int c = 0; c < COLS; c++)
            out[r * COLS + c] /= sum;
    }
}

/* Compressed rows: bounds and places come from data. */
void spmv(const int *first, const int *column, const double *value, const double *x, double *y) {
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

/* Eight entries in every row: only the places come from data. */
void spmv_ell(const int column[ROWS][8], const double value[ROWS][8], const double x[ROWS], double y[ROWS]) {
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < 8; k++)
            sum += value[i][k] * x[column[i][k]];
        y[i] = sum;
    }
}

void gather(const float *x, const int *place, float *y) {
    for (int i = 0; i < ROWS; i++)
        y[i] = x[place[i]];
}

void laplace_3d(const float in[N][N][N], float out[N][N][N]) {
    for (int z = 1; z < N - 1; z++)
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++)
                out[z][y][x] = in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] + in[z][y + 1][x] + in[z][y][x - 1] +
                               in[z][y][x + 1] - 6.0f * in[z][y][x];
}

void floyd_warshall(int d[N][N]) {
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}

double residual_norm(const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < ROWS * COLS; i++) {
        double d = a[i] - b[i];
        sum += d * d;
    }
    return sqrt(sum);
}
