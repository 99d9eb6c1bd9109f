/* Basic processing of one shot gather: gain, moveout, weighted stack. */
#include <math.h>
#include <stdio.h>

enum { NTR = 400, NS = 1500, HALF = 50 };
#define DT 0.002f

static float raw[NTR][NS], gained[NTR][NS], flat[NTR][NS];
static float vrms[NS], offset[NTR], weight[NTR], stacked[NS];

static void agc(void)
{
#pragma omp parallel for
    for (int tr = 0; tr < NTR; tr++) {
        for (int i = 0; i < NS; i++) {
            int lo = i - HALF < 0 ? 0 : i - HALF;
            int hi = i + HALF >= NS ? NS - 1 : i + HALF;
            float e = 0.0f;
            for (int j = lo; j <= hi; j++)
                e += raw[tr][j] * raw[tr][j];
            gained[tr][i] = raw[tr][i] / (sqrtf(e / (hi - lo + 1)) + 1e-6f);
        }
    }
}

static void moveout(void)
{
    for (int tr = 0; tr < NTR; tr++)
        for (int i = 0; i < NS; i++) {
            float t0 = i * DT;
            float s = offset[tr] / vrms[i];
            float at = sqrtf(t0 * t0 + s * s) / DT;
            int k = (int)at;
            if (k >= NS - 1) {
                flat[tr][i] = 0.0f;
                continue;
            }
            float w = at - k;
            flat[tr][i] = gained[tr][k] * (1.0f - w) + gained[tr][k + 1] * w;
        }
}

static void stack(void)
{
    for (int i = 0; i < NS; i++)
        stacked[i] = 0.0f;
    for (int tr = 0; tr < NTR; tr++) {
        const float w = weight[tr];
        for (int i = 0; i < NS; i++)
            stacked[i] += w * flat[tr][i];
    }
}

int main(void)
{
    for (int i = 0; i < NS; i++)
        vrms[i] = 1500.0f + i;
    for (int tr = 0; tr < NTR; tr++) {
        offset[tr] = 5.0f * tr;
        weight[tr] = 1.0f / NTR;
        for (int i = 0; i < NS; i++)
            raw[tr][i] = sinf(0.07f * i + 0.003f * tr) * expf(-0.002f * i);
    }
    agc();
    moveout();
    stack();
    printf("%g\n", stacked[NS / 2]);
    return 0;
}
