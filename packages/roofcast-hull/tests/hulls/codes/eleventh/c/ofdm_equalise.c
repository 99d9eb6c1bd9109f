/* OFDM receiver: channel from four pilot symbols, one-tap equaliser, error vector of QPSK. */
#include <stdio.h>
#include <stdlib.h>

typedef struct { float re, im; } cf32;

enum { NSC = 1200, NSYM = 140, NPILOT = 4 };

static cf32 pilot_rx[NPILOT * NSC], pilot_tx[NPILOT * NSC];
static cf32 chan[NSC];
static cf32 grid[NSYM * NSC], eq[NSYM * NSC];

static void estimate_channel(const cf32 *rx, const cf32 *tx, cf32 *h)
{
    for (int k = 0; k < NSC; k++) {
        cf32 acc = { 0.0f, 0.0f };
        for (int s = 0; s < NPILOT; s++) {
            cf32 y = rx[s * NSC + k], p = tx[s * NSC + k];
            acc.re += y.re * p.re + y.im * p.im;
            acc.im += y.im * p.re - y.re * p.im;
        }
        h[k].re = acc.re * 0.25f;
        h[k].im = acc.im * 0.25f;
    }
}

static void one_tap(const cf32 *y, const cf32 *h, cf32 *out, float noise)
{
    for (int s = 0; s < NSYM; s++)
        for (int k = 0; k < NSC; k++) {
            const cf32 a = y[s * NSC + k], c = h[k];
            const float g = 1.0f / (c.re * c.re + c.im * c.im + noise);
            cf32 r;
            r.re = (a.re * c.re + a.im * c.im) * g;
            r.im = (a.im * c.re - a.re * c.im) * g;
            out[s * NSC + k] = r;
        }
}

static float qpsk_error(const cf32 *z, int n)
{
    const float lev = 0.70710678f;
    float err = 0.0f;
    for (int i = 0; i < n; i++) {
        float er = z[i].re - (z[i].re >= 0.0f ? lev : -lev);
        float ei = z[i].im - (z[i].im >= 0.0f ? lev : -lev);
        err += er * er + ei * ei;
    }
    return err / (float)n;
}

int main(void)
{
    for (int i = 0; i < NPILOT * NSC; i++) {
        pilot_tx[i].re = i & 1 ? 1.0f : -1.0f;
        pilot_tx[i].im = 0.0f;
        pilot_rx[i].re = 0.9f * pilot_tx[i].re;
        pilot_rx[i].im = 0.1f * pilot_tx[i].re;
    }
    for (int i = 0; i < NSYM * NSC; i++) {
        grid[i].re = (rand() & 1) ? 0.6f : -0.6f;
        grid[i].im = (rand() & 1) ? 0.7f : -0.7f;
    }
    estimate_channel(pilot_rx, pilot_tx, chan);
    one_tap(grid, chan, eq, 0.01f);
    printf("%f\n", qpsk_error(eq, NSYM * NSC));
    return 0;
}
