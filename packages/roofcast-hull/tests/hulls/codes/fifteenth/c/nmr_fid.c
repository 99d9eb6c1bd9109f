/* free induction decays: zero-order phase with apodisation, and removal of the DC offset seen in the tail */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRANSIENTS 64
#define POINTS 8192
#define TAIL 1024

typedef struct { float re, im; } cplx;

void apodise(const cplx *fid, const float *window, const float *cph, const float *sph, cplx *out)
{
    for (int t = 0; t < TRANSIENTS; ++t) {
        const float c = cph[t], s = sph[t];
        for (int i = 0; i < POINTS; ++i) {
            const cplx v = fid[t * POINTS + i];
            out[t * POINTS + i].re = window[i] * (v.re * c - v.im * s);
            out[t * POINTS + i].im = window[i] * (v.re * s + v.im * c);
        }
    }
}

void remove_offset(cplx *fid)
{
    #pragma omp parallel for
    for (int t = 0; t < TRANSIENTS; ++t) {
        cplx *row = fid + t * POINTS;
        float re = 0.f, im = 0.f;
        for (int i = POINTS - TAIL; i < POINTS; ++i) {
            re += row[i].re;
            im += row[i].im;
        }
        re *= 1.f / TAIL;
        im *= 1.f / TAIL;
        for (int i = 0; i < POINTS; ++i) {
            row[i].re -= re;
            row[i].im -= im;
        }
    }
}

int main(void)
{
    cplx *fid = malloc(sizeof(cplx) * TRANSIENTS * POINTS), *out = malloc(sizeof(cplx) * TRANSIENTS * POINTS);
    float *window = malloc(sizeof(float) * POINTS), c[TRANSIENTS], s[TRANSIENTS];
    for (int i = 0; i < POINTS; ++i) window[i] = expf(-i / 2000.f);
    for (int t = 0; t < TRANSIENTS; ++t) { c[t] = cosf(.1f * t); s[t] = sinf(.1f * t); }
    for (int i = 0; i < TRANSIENTS * POINTS; ++i) { fid[i].re = cosf(.05f * i) + .2f; fid[i].im = sinf(.05f * i) - .1f; }
    remove_offset(fid);
    apodise(fid, window, c, s, out);
    printf("%f %f\n", out[9].re, out[9].im);
    free(fid); free(out); free(window);
    return 0;
}
