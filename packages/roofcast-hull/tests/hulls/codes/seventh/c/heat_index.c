// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
/* Hourly heat index (Rothfusz) for a year of station data, degrees Celsius and per cent.
   By hand: 2 (to F) + 7 (simple) + 26 (regression) + 1 (comparison) + 2 (to C) = 38 an hour. */
#include <stdio.h>
#include <stdlib.h>

#define HOURS (365 * 24)

void heat_index(const double *restrict temp_c, const double *restrict rh, double *restrict hi_c, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const double T = temp_c[i] * 1.8 + 32.0;
        const double R = rh[i];
        const double simple = 0.5 * (T + 61.0 + (T - 68.0) * 1.2 + R * 0.094);
        const double full = -42.379 + 2.04901523 * T + 10.14333127 * R - 0.22475541 * T * R
                          - 6.83783e-3 * T * T - 5.481717e-2 * R * R + 1.22874e-3 * T * T * R
                          + 8.5282e-4 * T * R * R - 1.99e-6 * T * T * R * R;
        const double hi = simple < 80.0 ? simple : full;
        hi_c[i] = (hi - 32.0) / 1.8;
    }
}

int main(void)
{
    double *t = malloc(HOURS * sizeof(double));
    double *r = malloc(HOURS * sizeof(double));
    double *h = malloc(HOURS * sizeof(double));
    if (!t || !r || !h) return 1;
    for (int i = 0; i < HOURS; ++i) {
        t[i] = 15.0 + 20.0 * ((i / 24) % 182) / 182.0;
        r[i] = 40.0 + i % 24;
    }
    heat_index(t, r, h, HOURS);
    printf("%.2f\n", h[HOURS / 2]);
    free(t); free(r); free(h);
    return 0;
}
