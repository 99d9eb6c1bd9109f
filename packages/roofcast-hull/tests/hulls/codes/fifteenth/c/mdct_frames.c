/* lapped transform of an audio codec by its definition, on frames that are laid out one after the other */
#include <math.h>
#include <stdio.h>

#define FRAMES 128
#define N 256

static float pcm[FRAMES][2 * N], win[2 * N], basis[N][2 * N], spec[FRAMES][N];
static float back[FRAMES][2 * N], out[FRAMES][N];

void mdct(void)
{
    for (int f = 0; f < FRAMES; f++)
        for (int k = 0; k < N; k++) {
            float s = 0;
            for (int n = 0; n < 2 * N; n++)
                s += pcm[f][n] * win[n] * basis[k][n];
            spec[f][k] = s;
        }
}

void overlap_add(void)
{
    for (int f = 1; f < FRAMES; f++)
        for (int n = 0; n < N; n++)
            out[f][n] = back[f][n] + back[f - 1][n + N];
}

int main(void)
{
    for (int n = 0; n < 2 * N; n++) {
        win[n] = sinf(3.14159265f * (n + .5f) / (2 * N));
        for (int k = 0; k < N; k++)
            basis[k][n] = cosf(3.14159265f / N * (n + .5f + N / 2) * (k + .5f));
        for (int f = 0; f < FRAMES; f++) {
            pcm[f][n] = sinf(.03f * (f * N + n));
            back[f][n] = pcm[f][n] * win[n];
        }
    }
    mdct();
    overlap_add();
    printf("%f %f\n", spec[3][4], out[3][4]);
    return 0;
}
