/* 24 to 16 bits with second-order noise shaping; the error of each sample is fed to the two after it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEN 480000

static float in[LEN];
static short out[LEN];

void shape(float scale)
{
    float e1 = 0.f, e2 = 0.f;
    for (int i = 0; i < LEN; i++) {
        float want = in[i] * scale - 1.6f * e1 + 0.7f * e2;
        float got = floorf(want + 0.5f);
        if (got > 32767.f) got = 32767.f;
        if (got < -32768.f) got = -32768.f;
        e2 = e1;
        e1 = got - want;
        out[i] = (short)got;
    }
}

int main(void)
{
    for (int i = 0; i < LEN; i++)
        in[i] = 0.5f * sinf(0.02f * i);
    shape(32767.f);
    printf("%d\n", out[1000]);
    return 0;
}
