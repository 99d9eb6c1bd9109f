/* Moving targets: three-pulse canceller, Doppler filter bank, strongest filter of each range cell. */
#include <math.h>
#include <stdio.h>

#define PULSES 64
#define KEPT (PULSES - 2)
#define CELLS 4096
#define FILTERS 32

typedef struct { float re, im; } cf;

static cf echo[PULSES][CELLS], moving[KEPT][CELLS], bank[FILTERS][CELLS], steer[FILTERS][KEPT];
static float peak[CELLS];
static int which[CELLS];

void cancel(void)
{
    for (int p = 2; p < PULSES; p++)
        for (int r = 0; r < CELLS; r++) {
            moving[p - 2][r].re = echo[p][r].re - 2.0f * echo[p - 1][r].re + echo[p - 2][r].re;
            moving[p - 2][r].im = echo[p][r].im - 2.0f * echo[p - 1][r].im + echo[p - 2][r].im;
        }
}

void doppler(void)
{
    for (int k = 0; k < FILTERS; k++) {
        cf *out = bank[k];
        for (int r = 0; r < CELLS; r++)
            out[r].re = out[r].im = 0.0f;
        for (int p = 0; p < KEPT; p++) {
            const cf w = steer[k][p];
            const cf *in = moving[p];
            for (int r = 0; r < CELLS; r++) {
                out[r].re += w.re * in[r].re - w.im * in[r].im;
                out[r].im += w.re * in[r].im + w.im * in[r].re;
            }
        }
    }
}

void strongest(void)
{
    for (int r = 0; r < CELLS; r++) {
        float best = -1.0f;
        int at = 0;
        for (int k = 0; k < FILTERS; k++) {
            float m = bank[k][r].re * bank[k][r].re + bank[k][r].im * bank[k][r].im;
            if (m > best) {
                best = m;
                at = k;
            }
        }
        peak[r] = best;
        which[r] = at;
    }
}

int main(void)
{
    for (int p = 0; p < PULSES; p++)
        for (int r = 0; r < CELLS; r++) {
            float ph = 0.3f * p * (r % 17) + 0.01f * r;
            echo[p][r].re = cosf(ph) + 5.0f;
            echo[p][r].im = sinf(ph);
        }
    for (int k = 0; k < FILTERS; k++)
        for (int p = 0; p < KEPT; p++) {
            steer[k][p].re = cosf(6.2831853f * k * p / FILTERS);
            steer[k][p].im = -sinf(6.2831853f * k * p / FILTERS);
        }
    cancel();
    doppler();
    strongest();
    printf("%g %d\n", peak[40], which[40]);
    return 0;
}
