/* QRS enhancement of an ECG: five-point slope squared, then integration over a moving window */
#include <stdio.h>
#include <stdlib.h>

#define NSAMP (1 << 20)
#define WIN 31

void slope_squared(const float *ecg, float *sq)
{
    for (int i = 4; i < NSAMP; i++) {
        float d = (2.0f * ecg[i] + ecg[i - 1] - ecg[i - 3] - 2.0f * ecg[i - 4]) * 0.125f;
        sq[i] = d * d;
    }
}

void integrate_window(const float *sq, float *mwi)
{
    for (int i = WIN - 1; i < NSAMP; i++) {
        float acc = 0.0f;
        for (int k = 0; k < WIN; k++)
            acc += sq[i - k];
        mwi[i] = acc / WIN;
    }
}

int main(void)
{
    float *ecg = malloc(NSAMP * sizeof(float));
    float *sq = calloc(NSAMP, sizeof(float));
    float *mwi = calloc(NSAMP, sizeof(float));
    for (int i = 0; i < NSAMP; i++)
        ecg[i] = (i % 360 < 12) ? 1.0f : 0.02f * (rand() % 10);
    slope_squared(ecg, sq);
    integrate_window(sq, mwi);
    printf("%f\n", mwi[1000]);
    free(ecg); free(sq); free(mwi);
    return 0;
}
