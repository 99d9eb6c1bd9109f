/* Holt and Winters for many monthly series at once, and how well it fits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SERIES 3000
#define MONTHS 240
#define PERIOD 12
#define ALPHA 0.3f
#define BETA 0.05f
#define GAMMA 0.2f

void holt_winters(const float *y, float *fitted)
{
    int s, t;
#pragma omp parallel for private(t)
    for (s = 0; s < SERIES; s++) {
        const float *v = y + s * MONTHS;
        float season[PERIOD];
        float level = v[0], trend = 0.0f;
        for (t = 0; t < PERIOD; t++)
            season[t] = v[t] - level;
        for (t = 0; t < MONTHS; t++) {
            float se = season[t % PERIOD];
            float base = level + trend;
            fitted[s * MONTHS + t] = base + se;
            float next = ALPHA * (v[t] - se) + (1.0f - ALPHA) * base;
            trend = BETA * (next - level) + (1.0f - BETA) * trend;
            season[t % PERIOD] = GAMMA * (v[t] - next) + (1.0f - GAMMA) * se;
            level = next;
        }
    }
}

void smape(const float *y, const float *fitted, float *score)
{
    for (int s = 0; s < SERIES; s++) {
        float e = 0.0f;
        for (int t = 0; t < MONTHS; t++) {
            float a = y[s * MONTHS + t], f = fitted[s * MONTHS + t];
            e += fabsf(a - f) / (fabsf(a) + fabsf(f) + 1e-6f);
        }
        score[s] = e * (200.0f / MONTHS);
    }
}

int main(void)
{
    float *y = malloc(SERIES * MONTHS * sizeof(float));
    float *fitted = malloc(SERIES * MONTHS * sizeof(float));
    float *score = malloc(SERIES * sizeof(float));
    for (int s = 0; s < SERIES; s++)
        for (int t = 0; t < MONTHS; t++)
            y[s * MONTHS + t] = 100.0f + 0.2f * (float)t + 10.0f * sinf(0.5236f * (float)t) + (float)((s * t) % 5);
    holt_winters(y, fitted);
    smape(y, fitted, score);
    printf("%f %f\n", score[0], score[SERIES - 1]);
    free(y);
    free(fitted);
    free(score);
    return 0;
}
