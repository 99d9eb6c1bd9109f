/* YIN: squared differences at each lag of each frame, then divided by their mean so far. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES (1 << 17)
#define HOP 512
#define WINDOW 1024
#define LAGS 256
#define FRAMES ((SAMPLES - WINDOW - LAGS) / HOP + 1)

void difference(const float *x, float *d)
{
    for (int f = 0; f < FRAMES; f++) {
        const float *s = x + f * HOP;
        for (int tau = 0; tau < LAGS; tau++) {
            float sum = 0.0f;
            for (int j = 0; j < WINDOW; j++) {
                float u = s[j] - s[j + tau];
                sum += u * u;
            }
            d[f * LAGS + tau] = sum;
        }
    }
}

void normalise(const float *d, float *n)
{
    for (int f = 0; f < FRAMES; f++, d += LAGS, n += LAGS) {
        float running = 0.0f;
        n[0] = 1.0f;
        for (int tau = 1; tau < LAGS; tau++) {
            running += d[tau];
            n[tau] = d[tau] * tau / running;
        }
    }
}

int main(void)
{
    float *x = malloc(SAMPLES * sizeof *x);
    float *d = malloc(FRAMES * LAGS * sizeof *d), *n = malloc(FRAMES * LAGS * sizeof *n);
    for (int i = 0; i < SAMPLES; i++)
        x[i] = sinf(0.06f * i) + 0.3f * sinf(0.12f * i + 1.0f);
    difference(x, d);
    normalise(d, n);
    printf("%d %g %g\n", FRAMES, n[105], n[52]);
    free(x); free(d); free(n);
    return 0;
}
