#include <stdio.h>
#include <stdlib.h>
#include <math.h>
void smooth(const double *in, double *out, int rows, int cols)
{
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < cols - 1; j++)
            out[i * cols + j] = 0.2 * (in[i * cols + j] + in[(i - 1) * cols + j] + in[(i + 1) * cols + j] + in[i * cols + j - 1] + in[i * cols + j + 1]);
}
static double norm(const float *x, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}
void pick(const int *idx, const float *table, float *out, int n)
{
    for (int i = 0; i < n; i++) out[i] = table[idx[i]];
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000, m = 2000;
    double *a = malloc(sizeof(double) * n * m), *b = malloc(sizeof(double) * n * m);
    smooth(a, b, n, m);
    float *x = (float *)malloc(5000000 * sizeof(float));
    printf("%f\n", norm(x, 5000000));
    float *t = (float *)calloc(4096, sizeof(float));
    int *id = (int *)malloc(n * m * sizeof(int));
    float *o = (float *)malloc(n * m * sizeof(float));
    pick(id, t, o, n * m);
    return 0;
}
