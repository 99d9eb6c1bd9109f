#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One level of the Daubechies-4 analysis, no wrap: the last pair is dropped. */

#define N (1 << 18)
#define M (N / 2 - 1)

static const double h0 = 0.48296291314453416, h1 = 0.83651630373780794;
static const double h2 = 0.22414386804201339, h3 = -0.12940952255126037;

static double in[N], approx[M], detail[M];

void analyse(void)
{
    int k = 0;
    for (int i = 0; i + 3 < N; i += 2) {
        approx[k] = h0 * in[i] + h1 * in[i + 1] + h2 * in[i + 2] + h3 * in[i + 3];
        detail[k] = h3 * in[i] - h2 * in[i + 1] + h1 * in[i + 2] - h0 * in[i + 3];
        k++;
    }
}

/* soft threshold of the details */
void shrink(double t)
{
    for (int k = 0; k < M; k++) {
        double d = fabs(detail[k]) - t;
        if (d < 0)
            d = 0;
        detail[k] = copysign(d, detail[k]);
    }
}

int main(void)
{
    for (int i = 0; i < N; i++) in[i] = sin(i * 0.01) + 0.1 * (rand() / (double)RAND_MAX - 0.5);
    analyse();
    shrink(0.02);
    double e = 0;
    for (int k = 0; k < M; k++) e += detail[k] * detail[k];
    printf("energy of details %g\n", e);
    return 0;
}
