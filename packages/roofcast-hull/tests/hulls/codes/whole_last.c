/* Plain C of benchmark suites: linear algebra, statistics, images, lattices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NI 256
#define NJ 384
#define NK 512
#define LEN 100000
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef float DATA_TYPE;

void gemm_scaled(DATA_TYPE C[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ], DATA_TYPE alpha, DATA_TYPE beta) {
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < NK; ++k) C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

void both_products(const double A[NI][NJ], const double p[NJ], const double r[NI], double q[NI], double s[NJ]) {
    for (int j = 0; j < NJ; j++) s[j] = 0;
    for (int i = 0; i < NI; i++) {
        q[i] = 0;
        for (int j = 0; j < NJ; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}

void tensor_step(float A[32][48][64], float C4[64][64], float out[32][48][64]) {
    for (int r = 0; r < 32; r++)
        for (int q = 0; q < 48; q++)
            for (int p = 0; p < 64; p++) {
                float sum = 0.0f;
                for (int s = 0; s < 64; s++) sum += A[r][q][s] * C4[s][p];
                out[r][q][p] = sum;
            }
}

void deviations(float data[NI][NJ], float mean[NJ], float stddev[NJ]) {
    for (int j = 0; j < NJ; j++) {
        float sum = 0.0f;
        for (int i = 0; i < NI; i++) sum += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] = sqrtf(sum / NI);
    }
}

void covariance(float data[NI][NJ], float cov[NJ][NJ]) {
    for (int i = 0; i < NJ; i++)
        for (int j = 0; j < NJ; j++) {
            float s = 0;
            for (int k = 0; k < NI; k++) s += data[k][i] * data[k][j];
            cov[i][j] = s / (NI - 1);
        }
}

void seidel(double A[NI][NI]) {
    for (int i = 1; i < NI - 1; i++)
        for (int j = 1; j < NI - 1; j++)
            A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1] + A[i][j]) / 5.0;
}

void sobel(const unsigned char in[NI][NJ], unsigned char out[NI][NJ]) {
    for (int y = 1; y < NI - 1; y++)
        for (int x = 1; x < NJ - 1; x++) {
            int gx = in[y - 1][x + 1] - in[y - 1][x - 1] + 2 * (in[y][x + 1] - in[y][x - 1]) + in[y + 1][x + 1] - in[y + 1][x - 1];
            int gy = in[y + 1][x - 1] - in[y - 1][x - 1] + 2 * (in[y + 1][x] - in[y - 1][x]) + in[y + 1][x + 1] - in[y - 1][x + 1];
            out[y][x] = abs(gx) + abs(gy);
        }
}

void dilate(const float *src, float *dst, int rows, int cols) {
    rows = NI;
    cols = NJ;
    for (int r = 1; r < NI - 1; r++)
        for (int c = 1; c < NJ - 1; c++) {
            float best = src[r * NJ + c];
            for (int i = -1; i <= 1; i++)
                for (int j = -1; j <= 1; j++) best = MAX(best, src[(r + i) * NJ + c + j]);
            dst[r * NJ + c] = best;
        }
}

void rgb_to_luma(const float rgb[LEN][3], float luma[LEN]) {
    for (int i = 0; i < LEN; i++) luma[i] = 0.2126f * rgb[i][0] + 0.7152f * rgb[i][1] + 0.0722f * rgb[i][2];
}

double energy(const double *v, const double *mass) {
    double e = 0.0;
    for (int i = 0; i < LEN; i++) e += 0.5 * mass[i] * v[i] * v[i];
    return e;
}

void normalise_by(float *x, float top) {
    const float inverse = 1.0f / top;
    int i;
    for (i = 0; i < LEN; i++) x[i] = x[i] * inverse;
}

void scatter(const int *where, const float *values, float out[LEN]) {
    for (int i = 0; i < LEN; i++) out[where[i]] = values[i];
}

void every_other(const float *in, float *out) {
    for (int i = 0; i < LEN / 2; i++) out[i] = in[2 * i];
}

void insertion_sort(float *x) {
    for (int i = 1; i < LEN; i++) {
        float key = x[i];
        int j = i - 1;
        while (j >= 0 && x[j] > key) {
            x[j + 1] = x[j];
            j--;
        }
        x[j + 1] = key;
    }
}

void upper_solve(double U[NI][NI], double b[NI], double x[NI]) {
    for (int i = NI - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < NI; j++) s -= U[i][j] * x[j];
        x[i] = s / U[i][i];
    }
}
