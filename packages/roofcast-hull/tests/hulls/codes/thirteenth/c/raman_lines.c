/* Spectra of a Raman map: cosmic rays out, and a model spectrum made of pseudo-Voigt lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPECTRA = 3000, CHANNELS = 1024, LINES = 40, GRID = 65536 };

struct line {
    double centre, height, width, eta;
};

static void despike(const float *in, float *out, float limit)
{
    for (int s = 0; s < SPECTRA; s++) {
        const float *x = in + (size_t)s * CHANNELS;
        float *o = out + (size_t)s * CHANNELS;
        for (int c = 1; c < CHANNELS - 1; c++) {
            float mid = 0.5f * (x[c - 1] + x[c + 1]);
            o[c] = fabsf(x[c] - mid) > limit ? mid : x[c];
        }
    }
}

static double profile(const struct line *l, double nu)
{
    double t = (nu - l->centre) / l->width;
    double t2 = t * t;
    double lorentz = 1.0 / (1.0 + t2);
    double gauss = exp(-0.69314718 * t2);
    return l->height * (l->eta * lorentz + (1.0 - l->eta) * gauss);
}

static void model(const struct line *lines, double *spectrum)
{
    for (int i = 0; i < GRID; i++) {
        double nu = 200.0 + 0.05 * i, s = 0.0;
        for (int k = 0; k < LINES; k++)
            s += profile(&lines[k], nu);
        spectrum[i] = s;
    }
}

int main(void)
{
    float *a = malloc(sizeof(float) * SPECTRA * CHANNELS), *b = calloc(SPECTRA * CHANNELS, sizeof(float));
    double *m = malloc(sizeof(double) * GRID);
    struct line lines[LINES];
    for (int k = 0; k < LINES; k++) {
        lines[k].centre = 220.0 + 75.0 * k;
        lines[k].height = 1.0 + k % 4;
        lines[k].width = 3.0 + 0.1 * k;
        lines[k].eta = 0.02 * k;
    }
    for (int i = 0; i < SPECTRA * CHANNELS; i++)
        a[i] = sinf(0.01f * (i % CHANNELS)) + (i % 5003 == 0 ? 40.0f : 0.0f);
    despike(a, b, 5.0f);
    model(lines, m);
    printf("%g %g\n", b[5003], m[420]);
    free(a); free(b); free(m);
    return 0;
}
