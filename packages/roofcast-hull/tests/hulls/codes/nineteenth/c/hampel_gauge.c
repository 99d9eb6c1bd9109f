/* despike a river gauge: median of five, then replace */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 300000
#define LO(a, b) ((a) < (b) ? (a) : (b))
#define HI(a, b) ((a) > (b) ? (a) : (b))

static float stage_m[N], med[N], flow[N];

void median5(const float *restrict x, float *restrict m)
{
    for (int i = 2; i < N - 2; i++) {
        float a = x[i - 2], b = x[i - 1], c = x[i], d = x[i + 1], e = x[i + 2];
        float lo1 = LO(a, b), hi1 = HI(a, b);
        float lo2 = LO(d, e), hi2 = HI(d, e);
        float f = HI(lo1, lo2), g = LO(hi1, hi2);
        /* median of c, f, g */
        float p = LO(f, g), q = HI(f, g);
        float s = LO(q, c);
        m[i] = HI(p, s);
    }
}

void despike(float *restrict x, const float *restrict m, float tol)
{
    for (int i = 0; i < N; i++)
        x[i] = fabsf(x[i] - m[i]) > tol ? m[i] : x[i];
}

void rating(const float *x, float *q)
{
    for (int i = 0; i < N; i++) {
        float h = x[i] - 0.21f;
        q[i] = h > 0 ? 12.4f * powf(h, 1.67f) : 0;
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        stage_m[i] = 1 + 0.4f * sinf(i * 0.002f) + (rand() % 997 == 0);
    for (int i = 0; i < 2; i++) {
        med[i] = stage_m[i];
        med[N - 1 - i] = stage_m[N - 1 - i];
    }
    median5(stage_m, med);
    despike(stage_m, med, 0.2f);
    rating(stage_m, flow);
    printf("%f\n", flow[1234]);
    return 0;
}
