/* Moisture diagnostics of an atmosphere of 60 levels by 20000 columns.
   Blind set: classes by hand; operations counted in Python for one cell and one column. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NLEV = 60, NCOL = 20000 };

void relative_humidity(const float *temp, const float *pres, const float *qv, float *rh)
{
    for (int k = 0; k < NLEV; k++) {
        for (int c = 0; c < NCOL; c++) {
            int at = k * NCOL + c;
            float es = 611.2f * expf(17.67f * (temp[at] - 273.15f) / (temp[at] - 29.65f));
            float e = qv[at] * pres[at] / (0.622f + 0.378f * qv[at]);
            float r = 100.0f * e / es;
            rh[at] = r > 100.0f ? 100.0f : r;
        }
    }
}

void precipitable_water(const float *restrict pres, const float *restrict qv, float *restrict pw)
{
    const float g = 9.80665f;
#pragma omp parallel for
    for (int c = 0; c < NCOL; c++) {
        float total = 0.0f;
        for (int k = 0; k + 1 < NLEV; k++)
            total += 0.5f * (qv[k * NCOL + c] + qv[(k + 1) * NCOL + c]) * (pres[(k + 1) * NCOL + c] - pres[k * NCOL + c]);
        pw[c] = total / g;
    }
}

int main(void)
{
    const size_t n = (size_t)NLEV * NCOL;
    float *t = malloc(n * sizeof *t), *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q), *rh = malloc(n * sizeof *rh);
    float *pw = malloc(NCOL * sizeof *pw);
    if (!t || !p || !q || !rh || !pw) {
        fputs("no memory\n", stderr);
        return EXIT_FAILURE;
    }
    for (int k = 0; k < NLEV; k++)
        for (int c = 0; c < NCOL; c++) {
            t[k * NCOL + c] = 210.0f + 1.4f * k + 0.001f * (c % 1000);
            p[k * NCOL + c] = 1000.0f + 1650.0f * k;
            q[k * NCOL + c] = 1e-6f * k * k * (1 + c % 5);
        }
    relative_humidity(t, p, q, rh);
    precipitable_water(p, q, pw);
    printf("rh %.3f %%, pw %.3f kg m-2\n", rh[n - 1], pw[NCOL - 1]);
    free(t); free(p); free(q); free(rh); free(pw);
    return 0;
}
