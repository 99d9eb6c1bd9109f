/* s-type Gaussian overlaps and populations */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x, y, z, alpha; } prim_t;

void overlap(int n, const prim_t *g, double *S)
{
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double dx = g[i].x - g[j].x;
            const double dy = g[i].y - g[j].y;
            const double dz = g[i].z - g[j].z;
            const double p = g[i].alpha + g[j].alpha;
            const double mu = g[i].alpha * g[j].alpha / p;
            const double w = 3.14159265358979 / p;
            S[(size_t)i * n + j] = w * sqrt(w) * exp(-mu * (dx * dx + dy * dy + dz * dz));
        }
}

void mulliken(int n, const double *P, const double *S, double *q)
{
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        double pop = 0;
        for (int j = 0; j < n; ++j)
            pop += P[(size_t)i * n + j] * S[(size_t)i * n + j];
        q[i] = 1.0 - pop;
    }
}

/* contraction over the shells of one centre: four primitives each */
void to_shells(int n, const double *S, const double *c, double *out)
{
    int m = n / 4;
    for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) {
            double acc = 0.0;
            for (int u = 0; u < 4; ++u)
                for (int v = 0; v < 4; ++v)
                    acc += c[4 * a + u] * c[4 * b + v] * S[(size_t)(4 * a + u) * n + 4 * b + v];
            out[a * m + b] = acc;
        }
}

int main(void)
{
    const int n = 640;
    prim_t *g = malloc(n * sizeof *g);
    double *S = malloc(sizeof(double) * n * n), *P = malloc(sizeof(double) * n * n);
    double *q = malloc(sizeof(double) * n), *c = malloc(sizeof(double) * n);
    double *sh = malloc(sizeof(double) * (n / 4) * (n / 4));
    for (int i = 0; i < n; ++i) {
        g[i].x = rand() % 100 * 0.1; g[i].y = rand() % 100 * 0.1; g[i].z = rand() % 100 * 0.1;
        g[i].alpha = 0.2 + (i % 4) * 0.7;
        c[i] = 0.25;
    }
    for (int i = 0; i < n * n; ++i)
        P[i] = 1e-3;
    overlap(n, g, S);
    mulliken(n, P, S, q);
    to_shells(n, S, c, sh);
    printf("%g %g\n", q[0], sh[1]);
    return 0;
}
