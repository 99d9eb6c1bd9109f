/* Groundwater head on a banded (DIA) matrix: five diagonals of a 400 x 500 grid, damped Jacobi. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 500
#define NY 400
#define N (NX * NY)
#define ND 5

static const int off[ND] = { -NX, -1, 0, 1, NX };
static double band[ND][N], head[N], rhs[N], res[N];

static void residual(void)
{
    for (int i = NX; i < N - NX; i++) {
        double s = rhs[i];
        s -= band[0][i] * head[i - NX];
        s -= band[1][i] * head[i - 1];
        s -= band[2][i] * head[i];
        s -= band[3][i] * head[i + 1];
        s -= band[4][i] * head[i + NX];
        res[i] = s;
    }
}

static void relax(double omega)
{
    for (int i = 0; i < N; i++)
        head[i] += omega * res[i] / band[2][i];
}

static double norm_inf(const double *r, int n)
{
    double worst = 0.0;
#pragma omp parallel for reduction(max : worst)
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(r[i]));
    return worst;
}

static int solve(double tol)
{
    int it = 0;
    do {
        residual();
        relax(0.8);
        it++;
    } while (norm_inf(res, N) > tol && it < 200);
    return it;
}

int main(void)
{
    for (int d = 0; d < ND; d++)
        for (int i = 0; i < N; i++)
            band[d][i] = off[d] ? -1.0 : 4.1;
    rhs[N / 2 + NX / 2] = 1.0;
    printf("%d turns\n", solve(1e-6));
    return 0;
}
