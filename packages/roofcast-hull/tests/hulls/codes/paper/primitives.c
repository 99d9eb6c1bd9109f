/* One function for each primitive that the table of classes names. */
#include <math.h>
#define N 2048
#define SMALL 512

void binarise(const float in[N][N], float out[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[i][j] = in[i][j] > 0.5f;
}

void mirror(const float in[N][N], float out[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[j][i] = in[i][j];
}

void scale_down(const float in[N][N], float out[SMALL][SMALL])
{
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++) {
            float sum = 0;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) sum += in[4 * i + a][4 * j + b];
            out[i][j] = sum / 16;
        }
}

void dct(const float in[N][N], const float basis[8][8], float out[N][N])
{
    for (int by = 0; by < N; by += 8)
        for (int bx = 0; bx < N; bx += 8)
            for (int u = 0; u < 8; u++)
                for (int v = 0; v < 8; v++) {
                    float sum = 0;
                    for (int y = 0; y < 8; y++)
                        for (int x = 0; x < 8; x++) sum += basis[u][y] * basis[v][x] * in[by + y][bx + x];
                    out[by + u][bx + v] = sum;
                }
}

void enlarge(const float in[SMALL][SMALL], float out[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[i][j] = in[i / 4][j / 4];
}

void convolve(const float in[N][N], const float weight[7][7], float out[N][N])
{
    for (int i = 3; i < N - 3; i++)
        for (int j = 3; j < N - 3; j++) {
            float sum = 0;
            for (int a = 0; a < 7; a++)
                for (int b = 0; b < 7; b++) sum += weight[a][b] * in[i + a - 3][j + b - 3];
            out[i][j] = sum;
        }
}

void convolve_rows(const float in[N][N], const float weight[5], float out[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 2; j < N - 2; j++) {
            float sum = 0;
            for (int b = 0; b < 5; b++) sum += weight[b] * in[i][j + b - 2];
            out[i][j] = sum;
        }
}

float sum_all(const float in[N][N])
{
    float sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += in[i][j];
    return sum;
}

void difference(const float a[N][N], const float b[N][N], float out[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out[i][j] = fabsf(a[i][j] - b[i][j]);
}

void multiply(const float a[1024][512], const float b[512][256], float c[1024][256])
{
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 256; j++) {
            c[i][j] = 0;
            for (int k = 0; k < 512; k++) c[i][j] += a[i][k] * b[k][j];
        }
}
