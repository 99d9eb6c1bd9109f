/* Cuts sound into frames that do not overlap and weighs each by a window, ready for a transform. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAME 441
#define FRAMES 800

static int16_t sound[FRAMES * FRAME];
static float window[FRAME];
static float frames[FRAMES][FRAME];

static void weigh_frames(const int16_t *x, const float *w, float (*out)[FRAME], int count)
{
    for (int f = 0; f < count; f++) {
        const int16_t *start = x + f * FRAME;
        for (int t = 0; t < FRAME; t++)
            out[f][t] = start[t] * 3.0517578e-5f * w[t];
    }
}

int main(void)
{
    for (int t = 0; t < FRAME; t++)
        window[t] = (float)(0.5 - 0.5 * cos(6.283185307179586 * t / (FRAME - 1)));
    for (int i = 0; i < FRAMES * FRAME; i++)
        sound[i] = (int16_t)(12000.0 * sin(0.0627 * i));
    weigh_frames(sound, window, frames, FRAMES);
    printf("%f\n", frames[3][FRAME / 2]);
    return 0;
}
