/* Descriptors of a spectrogram: centroid of each frame, and onset strength between frames. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define FRAMES 400
#define BINS 513

static double centroid[FRAMES], onset[FRAMES];

static void centroids(const float *spec, double hz_per_bin)
{
    for (int t = 0; t < FRAMES; t++) {
        double num = 0.0, den = 1e-9;
        const float *m = spec + t * BINS;
        int k = 0;
        while (k < BINS) {
            num += k * hz_per_bin * m[k];
            den += m[k];
            ++k;
        }
        centroid[t] = num / den;
    }
}

static void onset_strength(const float *spec)
{
    for (int t = 1; t < FRAMES; t++) {
        const float *now = spec + t * BINS, *before = now - BINS;
        double rise = 0.0;
        for (int k = 0; k < BINS; k++) {
            float d = now[k] - before[k];
            if (d > 0.0f)
                rise += d;
        }
        onset[t] = rise;
    }
}

int main(void)
{
    float *spec = malloc(sizeof(float) * FRAMES * BINS);
    for (int t = 0; t < FRAMES; t++)
        for (int k = 0; k < BINS; k++)
            spec[t * BINS + k] = fabsf(sinf(0.01f * k * t)) / (1 + k);
    centroids(spec, 44100.0 / 1024);
    onset_strength(spec);
    printf("%f %f\n", centroid[9], onset[9]);
    free(spec);
    return 0;
}
