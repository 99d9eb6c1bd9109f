/* find bursts in an EMG channel with the Teager-Kaiser operator */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N     200000
#define FRAME 500

static float emg[N], psi[N], level[N / FRAME];

static void teager(const float *x, float *out)
{
    for (int i = 1; i < N - 1; i++)
        out[i] = x[i] * x[i] - x[i - 1] * x[i + 1];
}

static void frame_rms(const float *x, float *rms)
{
    for (int f = 0; f < N / FRAME; f++) {
        const float *p = x + f * FRAME;
        const float *end = p + FRAME;
        float acc = 0;
        while (p < end) {
            acc += *p * *p;
            p++;
        }
        rms[f] = sqrtf(acc / FRAME);
    }
}

static long samples_above(const float *x, float thr)
{
    long n = 0;
    for (int i = 0; i < N; ++i) {
        if (fabsf(x[i]) <= thr)
            continue;
        n++;
    }
    return n;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        emg[i] = sinf(0.01f * i) * (rand() / (float)RAND_MAX - 0.5f);
    teager(emg, psi);
    frame_rms(psi, level);
    printf("%g %ld\n", level[3], samples_above(psi, 0.05f));
    return 0;
}
