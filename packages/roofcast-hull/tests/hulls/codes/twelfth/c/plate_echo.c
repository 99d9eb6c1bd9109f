#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 96000
#define DELAY 1103

/* echo that feeds itself */
void feedback_comb(const float *in, float *out, float g)
{
    for (int n = 0; n < LENGTH; n++) {
        float y = in[n];
        if (n >= DELAY)
            y += g * out[n - DELAY];
        out[n] = y;
    }
}

/* Schroeder's backward integral of an impulse response */
void energy_decay(const float *h, float *edc)
{
    float left = 0.0f;
    for (int n = LENGTH - 1; n >= 0; n--) {
        left += h[n] * h[n];
        edc[n] = left;
    }
}

void wet_dry_pcm(const float *dry, const float *wet, float mix, short *pcm)
{
    const float *end = dry + LENGTH;
    while (dry < end) {
        float v = *dry + mix * (*wet - *dry);
        v *= 32767.0f;
        if (v > 32767.0f) v = 32767.0f;
        if (v < -32768.0f) v = -32768.0f;
        *pcm++ = (short)v;
        dry++;
        wet++;
    }
}

static float dry[LENGTH], wet[LENGTH], edc[LENGTH];
static short pcm[LENGTH];

int main(void)
{
    for (int n = 0; n < LENGTH; n++) dry[n] = 0.4f * sinf(0.03f * n) * expf(-n / 20000.0f);
    feedback_comb(dry, wet, 0.7f);
    energy_decay(wet, edc);
    wet_dry_pcm(dry, wet, 0.35f, pcm);
    printf("%f %f %d\n", wet[5000], edc[0], pcm[5000]);
    return 0;
}
