#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PINGS 1200
#define SAMPLES 2048
#define GROUND 1024

/* time-varied gain */
void apply_tvg(const int16_t *restrict raw, const float *restrict gain, float *restrict amp)
{
    for (int p = 0; p < PINGS; p++) {
        const int16_t *in = raw + p * SAMPLES;
        float *out = amp + p * SAMPLES;
        for (int s = 0; s < SAMPLES; s++)
            *out++ = *in++ * gain[s];
    }
}

/* slant range to ground range below a towfish at `altitude` */
void slant_to_ground(const float *amp, const float *altitude, float spacing, float per_sample, float *ground)
{
    for (int p = 0; p < PINGS; p++) {
        float h = altitude[p];
        for (int b = 0; b < GROUND; b++) {
            float x = b * spacing;
            float s = sqrtf(x * x + h * h) * per_sample;
            int k = (int)s;
            float f = s - k;
            float near = amp[p * SAMPLES + k], far = amp[p * SAMPLES + k + 1];
            ground[p * GROUND + b] = near + f * (far - near);
        }
    }
}

/* remove the beam pattern: divide by the mean of each column */
void flatten_beam(float *ground, float *mean)
{
    memset(mean, 0, GROUND * sizeof(float));
    for (int p = 0; p < PINGS; p++)
        for (int b = 0; b < GROUND; b++)
            mean[b] += ground[p * GROUND + b];
    for (int b = 0; b < GROUND; b++)
        mean[b] /= PINGS;
    for (int p = 0; p < PINGS; p++)
        for (int b = 0; b < GROUND; b++)
            ground[p * GROUND + b] /= mean[b];
}

int main(void)
{
    int16_t *raw = malloc(sizeof(int16_t) * PINGS * SAMPLES);
    float *amp = malloc(sizeof(float) * PINGS * SAMPLES);
    float *ground = malloc(sizeof(float) * PINGS * GROUND);
    float *gain = malloc(sizeof(float) * SAMPLES), *altitude = malloc(sizeof(float) * PINGS);
    float *mean = malloc(sizeof(float) * GROUND);
    for (int i = 0; i < PINGS * SAMPLES; i++) raw[i] = (int16_t)(100 + (i * 31) % 4000);
    for (int s = 0; s < SAMPLES; s++) gain[s] = 0.01f + 1e-5f * s;
    for (int p = 0; p < PINGS; p++) altitude[p] = 12.0f + 0.001f * p;
    apply_tvg(raw, gain, amp);
    slant_to_ground(amp, altitude, 0.07f, 27.0f, ground);
    flatten_beam(ground, mean);
    printf("%f %f\n", ground[5], mean[1000]);
    free(raw); free(amp); free(ground); free(gain); free(altitude); free(mean);
    return 0;
}
