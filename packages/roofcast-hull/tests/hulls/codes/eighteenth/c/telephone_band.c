/* Narrow-band the studio feed for a hybrid: 16-bit FIR with saturation, then the peak meter. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TAPS 31
#define OUT  96000

static int16_t feed[OUT + TAPS - 1], line[OUT];
static int16_t meter[OUT / 480];

static int16_t sat16(int32_t v)
{
    if (v > INT16_MAX) return INT16_MAX;
    if (v < INT16_MIN) return INT16_MIN;
    return (int16_t)v;
}

void band_limit(const int16_t *taps)
{
    const int16_t *src = feed;
    int16_t *dst = line;
    int n = OUT;
    while (n-- > 0) {
        const int16_t *s = src++;
        const int16_t *t = taps;
        int32_t acc = 1 << 14;
        for (int k = TAPS; k; --k)
            acc += *s++ * *t++;
        *dst++ = sat16(acc >> 15);
    }
}

void peak_meter(void)
{
    for (int b = 0; b < OUT / 480; b++) {
        int top = 0;
        for (int i = 0; i < 480; i++) {
            int v = line[b * 480 + i];
            if (v < 0) v = -v;
            if (v > top) top = v;
        }
        meter[b] = (int16_t)top;
    }
}

int main(void)
{
    int16_t taps[TAPS];
    for (int k = 0; k < TAPS; k++)
        taps[k] = (int16_t)(2000 - 120 * abs(k - TAPS / 2));
    for (int i = 0; i < OUT + TAPS - 1; i++)
        feed[i] = (int16_t)(rand() % 20000 - 10000);
    band_limit(taps);
    peak_meter();
    printf("%d %d\n", line[100], meter[3]);
    return 0;
}
