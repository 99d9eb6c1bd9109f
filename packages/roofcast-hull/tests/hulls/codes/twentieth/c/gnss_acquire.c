/* Code acquisition: every circular shift of a chip sequence against one integrated millisecond. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CHIPS 1023
#define OVER 4
#define LEN (CHIPS * OVER)

typedef struct { float i, q; } iq;

static iq rx[LEN];
static float wiped_i[LEN], wiped_q[LEN];
static signed char code[2 * LEN];   /* twice, so that a shift never wraps */
static float peak[LEN];

static void wipe_carrier(float doppler)
{
    for (int n = 0; n < LEN; n++) {
        float ph = doppler * n;
        float c = cosf(ph), s = sinf(ph);
        wiped_i[n] = rx[n].i * c + rx[n].q * s;
        wiped_q[n] = rx[n].q * c - rx[n].i * s;
    }
}

static void correlate(void)
{
    #pragma omp parallel for
    for (int shift = 0; shift < LEN; shift++) {
        float si = 0, sq = 0;
        for (int n = 0; n < LEN; n++) {
            float chip = code[shift + n];
            si += chip * wiped_i[n];
            sq += chip * wiped_q[n];
        }
        peak[shift] = si * si + sq * sq;
    }
}

int main(void)
{
    unsigned reg = 0x155;
    for (int k = 0; k < CHIPS; k++) {
        reg = (reg << 1 | ((reg >> 9 ^ reg >> 2) & 1)) & 0x3ff;
        for (int o = 0; o < OVER; o++)
            code[k * OVER + o] = code[LEN + k * OVER + o] = reg & 1 ? 1 : -1;
    }
    for (int n = 0; n < LEN; n++) {
        rx[n].i = code[n + 400] * cosf(0.01f * n);
        rx[n].q = code[n + 400] * sinf(0.01f * n);
    }
    wipe_carrier(0.01f);
    correlate();
    int best = 0;
    for (int k = 1; k < LEN; k++)
        if (peak[k] > peak[best]) best = k;
    printf("%d\n", best);
    return 0;
}
