/* Three-phase waveforms of a feeder: rotating frame, values of each cycle, harmonics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CYCLES 400
#define SPC    128
#define NHARM  16
#define NSAMP  (CYCLES * SPC)

struct phases { const double *a, *b, *c; };
typedef struct { double d, q, z; } dq0;

void park(const struct phases *p, const double *restrict theta, dq0 *restrict out, int n)
{
    static const double inv_sqrt3 = 0.57735026918962576;
    for (int i = 0; i < n; i++) {
        const double a = p->a[i], b = p->b[i], c = p->c[i];
        const double alpha = (2.0 * a - b - c) / 3.0;
        const double beta = (b - c) * inv_sqrt3;
        const double cs = cos(theta[i]), sn = sin(theta[i]);
        out[i].d = alpha * cs + beta * sn;
        out[i].q = beta * cs - alpha * sn;
        out[i].z = (a + b + c) / 3.0;
    }
}

void cycle_rms(const double v[CYCLES][SPC], double *rms)
{
    for (int c = 0; c < CYCLES; c++) {
        double s = 0.0;
#pragma omp simd reduction(+ : s)
        for (int t = 0; t < SPC; t++)
            s += v[c][t] * v[c][t];
        rms[c] = sqrt(s / SPC);
    }
}

void harmonics(const double v[CYCLES][SPC], const double cosine[NHARM][SPC], const double sine[NHARM][SPC],
               double mag[CYCLES][NHARM])
{
#pragma omp parallel for collapse(2)
    for (int c = 0; c < CYCLES; c++)
        for (int h = 0; h < NHARM; h++) {
            double re = 0.0, im = 0.0;
            for (int t = 0; t < SPC; t++) {
                re += v[c][t] * cosine[h][t];
                im += v[c][t] * sine[h][t];
            }
            mag[c][h] = sqrt(re * re + im * im);
        }
}

int main(void)
{
    double *a = malloc(NSAMP * sizeof(double)), *b = malloc(NSAMP * sizeof(double));
    double *c = malloc(NSAMP * sizeof(double)), *th = malloc(NSAMP * sizeof(double));
    dq0 *o = malloc(NSAMP * sizeof(dq0));
    static double cosine[NHARM][SPC], sine[NHARM][SPC], mag[CYCLES][NHARM], rms[CYCLES];
    for (int i = 0; i < NSAMP; i++) {
        th[i] = 6.283185307179586 * i / SPC;
        a[i] = cos(th[i]) + 0.05 * cos(5 * th[i]);
        b[i] = cos(th[i] - 2.0943951);
        c[i] = cos(th[i] + 2.0943951);
    }
    for (int h = 0; h < NHARM; h++)
        for (int t = 0; t < SPC; t++) {
            cosine[h][t] = cos(6.283185307179586 * (h + 1) * t / SPC) / 64;
            sine[h][t] = sin(6.283185307179586 * (h + 1) * t / SPC) / 64;
        }
    struct phases ph = {.a = a, .b = b, .c = c};
    park(&ph, th, o, NSAMP);
    cycle_rms((const double (*)[SPC])a, rms);
    harmonics((const double (*)[SPC])a, (const double (*)[SPC])cosine, (const double (*)[SPC])sine, mag);
    printf("%g %g %g\n", o[9].d, rms[3], mag[2][4]);
    free(a); free(b); free(c); free(th); free(o);
    return 0;
}
