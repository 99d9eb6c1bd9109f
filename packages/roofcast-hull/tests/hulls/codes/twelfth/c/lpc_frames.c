#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 64000
#define FRAME 400
#define HOP 160
#define FRAMES ((SAMPLES - FRAME) / HOP + 1)
#define ORDER 12

void preemphasis(const short *pcm, float *x)
{
    x[0] = pcm[0];
    for (int i = 1; i < SAMPLES; i++)
        x[i] = (float)pcm[i] - 0.97f * (float)pcm[i - 1];
}

void frame_autocorr(const float *x, const float *window, float r[FRAMES][ORDER + 1])
{
    for (int f = 0; f < FRAMES; f++) {
        float seg[FRAME];
        const float *p = x + f * HOP;
        for (int n = 0; n < FRAME; n++)
            seg[n] = p[n] * window[n];
        for (int lag = 0; lag <= ORDER; lag++) {
            float s = 0.0f;
            for (int n = lag; n < FRAME; n++)
                s += seg[n] * seg[n - lag];
            r[f][lag] = s;
        }
    }
}

/* Levinson and Durbin, one frame after another, frames independent */
void levinson(float r[FRAMES][ORDER + 1], float lpc[FRAMES][ORDER])
{
    for (int f = 0; f < FRAMES; f++) {
        float a[ORDER + 1], b[ORDER + 1];
        float err = r[f][0] * 1.0001f;
        for (int i = 1; i <= ORDER; i++) {
            float acc = r[f][i];
            for (int j = 1; j < i; j++)
                acc -= a[j] * r[f][i - j];
            float k = acc / err;
            for (int j = 1; j < i; j++)
                b[j] = a[j] - k * a[i - j];
            for (int j = 1; j < i; j++)
                a[j] = b[j];
            a[i] = k;
            err *= 1.0f - k * k;
        }
        for (int i = 0; i < ORDER; i++)
            lpc[f][i] = a[i + 1];
    }
}

static short pcm[SAMPLES];
static float x[SAMPLES], window[FRAME], r[FRAMES][ORDER + 1], lpc[FRAMES][ORDER];

int main(void)
{
    for (int i = 0; i < SAMPLES; i++)
        pcm[i] = (short)(8000.0 * sin(0.05 * i) + 3000.0 * sin(0.31 * i) + (i * 7919) % 301);
    for (int n = 0; n < FRAME; n++)
        window[n] = 0.54f - 0.46f * cosf(6.2831853f * n / (FRAME - 1));
    preemphasis(pcm, x);
    frame_autocorr(x, window, r);
    levinson(r, lpc);
    printf("%d frames, %f %f\n", FRAMES, lpc[3][0], lpc[3][11]);
    return 0;
}
