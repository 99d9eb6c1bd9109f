/*
 * Discrete Fourier transform by its definition, O(n^2); the reference that
 * the FFTs of the exercise sheet are compared with.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2048

static double xr[N], xi[N], Xr[N], Xi[N];
static double ct[N], st[N];

void dft(int n, const double *in_re, const double *in_im,
         const double *cos_tab, const double *sin_tab,
         double *out_re, double *out_im)
{
    int k, t;
#pragma omp parallel for private(t)
    for (k = 0; k < n; k++) {
        double sr = 0.0, si = 0.0;
        for (t = 0; t < n; t++) {
            const int a = (int)(((long)k * t) % n);
            sr += in_re[t] * cos_tab[a] + in_im[t] * sin_tab[a];
            si += in_im[t] * cos_tab[a] - in_re[t] * sin_tab[a];
        }
        out_re[k] = sr;
        out_im[k] = si;
    }
}

int main(void)
{
    int i;
    for (i = 0; i < N; i++) {
        ct[i] = cos(2.0 * M_PI * i / N);
        st[i] = sin(2.0 * M_PI * i / N);
        xr[i] = cos(2.0 * M_PI * 50.0 * i / N) + 0.25 * cos(2.0 * M_PI * 300.0 * i / N);
        xi[i] = 0.0;
    }
    dft(N, xr, xi, ct, st, Xr, Xi);

    for (i = 0; i < N / 2; i++) {
        double mag = hypot(Xr[i], Xi[i]) / N;
        if (mag > 1e-3)
            printf("bin %4d  %.6f\n", i, mag);
    }
    return 0;
}
