// 24 mono tracks to a stereo bus, one second at 48 kHz
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRACKS 24
#define FRAMES 48000

typedef struct {
    float left[TRACKS];
    float right[TRACKS];
} panlaw_t;

static void mix(const float *restrict tracks, const panlaw_t *pan, float *restrict busL, float *restrict busR)
{
    #pragma omp parallel for
    for (int s = 0; s < FRAMES; s++) {
        float l = 0.0f, r = 0.0f;
        for (int t = 0; t < TRACKS; t++) {
            float v = tracks[t * FRAMES + s];
            l += pan->left[t] * v;
            r += pan->right[t] * v;
        }
        busL[s] = l;
        busR[s] = r;
    }
}

static float peak(const float *bus)
{
    float p = 0.0f;
    for (int s = 0; s < FRAMES; s++)
        p = fmaxf(p, fabsf(bus[s]));
    return p;
}

int main(void)
{
    float *tracks = malloc(sizeof(float) * TRACKS * FRAMES);
    float *busL = malloc(sizeof(float) * FRAMES);
    float *busR = malloc(sizeof(float) * FRAMES);
    panlaw_t pan;
    for (int t = 0; t < TRACKS; t++) {
        float a = 1.5707963f * t / (TRACKS - 1);
        pan.left[t] = cosf(a);
        pan.right[t] = sinf(a);
        for (int s = 0; s < FRAMES; s++)
            tracks[t * FRAMES + s] = 0.1f * sinf(0.002f * (t + 1) * s);
    }
    mix(tracks, &pan, busL, busR);
    printf("peak %f\n", peak(busL));
    free(tracks); free(busL); free(busR);
    return 0;
}
