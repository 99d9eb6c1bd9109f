/* Volume scans of a weather radar: rain, column maximum, liquid water. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NTILT 14
#define NAZ 360
#define NGATE 500
#define NO_ECHO (-99.0f)
#define AT(t, a, g) (((t) * NAZ + (a)) * NGATE + (g))

void rain_rate(const float *restrict lowest, float *restrict mm_h)
{
    for (int i = 0; i < NAZ * NGATE; ++i) {
        float dbz = lowest[i];
        float z = powf(10.0f, dbz / 10.0f);
        float r = powf(z / 200.0f, 0.625f);
        r = r > 150.0f ? 150.0f : r;
        mm_h[i] = dbz < 5.0f ? 0.0f : r;
    }
}

void column_max(const float *restrict vol, float *restrict cmax)
{
    for (int a = 0; a < NAZ; ++a)
        for (int g = 0; g < NGATE; ++g) {
            float best = NO_ECHO;
            for (int t = NTILT - 1; t >= 0; --t) {
                float v = vol[AT(t, a, g)];
                if (v == NO_ECHO)
                    continue;
                if (v > best)
                    best = v;
            }
            cmax[a * NGATE + g] = best;
        }
}

void liquid_water(const float *restrict zlin, const float *restrict dh, float *restrict vil)
{
#pragma omp parallel for
    for (int a = 0; a < NAZ; ++a)
        for (int g = 0; g < NGATE; ++g) {
            float sum = 0.0f;
            for (int t = 0; t + 1 < NTILT; ++t) {
                float mid = 0.5f * (zlin[AT(t, a, g)] + zlin[AT(t + 1, a, g)]);
                sum += 3.44e-6f * powf(mid, 0.5714f) * dh[t];
            }
            vil[a * NGATE + g] = sum;
        }
}

int main(void)
{
    float *vol = malloc(sizeof(float) * NTILT * NAZ * NGATE);
    float *zlin = malloc(sizeof(float) * NTILT * NAZ * NGATE);
    float *low = malloc(sizeof(float) * NAZ * NGATE);
    float *rain = malloc(sizeof(float) * NAZ * NGATE);
    float *cmax = malloc(sizeof(float) * NAZ * NGATE);
    float *vil = malloc(sizeof(float) * NAZ * NGATE);
    float dh[NTILT - 1];

    for (int i = 0; i < NTILT * NAZ * NGATE; ++i) {
        vol[i] = i % 11 == 0 ? NO_ECHO : (float)(i % 60) - 8.0f;
        zlin[i] = 1.0f + (float)(i % 4000);
    }
    for (int i = 0; i < NAZ * NGATE; ++i)
        low[i] = (float)(i % 57);
    for (int t = 0; t < NTILT - 1; ++t)
        dh[t] = 400.0f + 90.0f * (float)t;
    rain_rate(low, rain);
    column_max(vol, cmax);
    liquid_water(zlin, dh, vil);
    printf("%g %g %g\n", rain[50], cmax[999], vil[4321]);
    free(vol); free(zlin); free(low); free(rain); free(cmax); free(vil);
    return 0;
}
