/* Catastrophe excess of loss: what each layer pays for each event of the event set, and by year. */
#include <stdio.h>
#include <stdlib.h>

#define YEARS 5000
#define PER_YEAR 40
#define EVENTS (YEARS * PER_YEAR)
#define LAYERS 10

static float gross[EVENTS];
static float attach[LAYERS], limit_[LAYERS], share[LAYERS], aggregate[LAYERS];
static float ceded[LAYERS][EVENTS];
static float paid[LAYERS][YEARS];

void layer_recoveries(void)
{
    int l, e;
    for (l = 0; l < LAYERS; l++) {
        for (e = 0; e < EVENTS; e++) {
            float x = gross[e] - attach[l];
            x = x < 0.0f ? 0.0f : x;
            x = x > limit_[l] ? limit_[l] : x;
            ceded[l][e] = share[l] * x;
        }
    }
}

void annual_paid(void)
{
    int l, y, k;
    for (l = 0; l < LAYERS; l++) {
        for (y = 0; y < YEARS; y++) {
            float sum = 0.0f;
            for (k = 0; k < PER_YEAR; k++)
                sum += ceded[l][y * PER_YEAR + k];
            paid[l][y] = sum < aggregate[l] ? sum : aggregate[l];
        }
    }
}

int main(void)
{
    int i;
    srand(3);
    for (i = 0; i < EVENTS; i++)
        gross[i] = 1e6f * (float)(rand() % 1000) / (1.0f + (float)(rand() % 50));
    for (i = 0; i < LAYERS; i++) {
        attach[i] = 2e6f * (float)(i + 1);
        limit_[i] = 2e6f;
        share[i] = 0.9f - 0.05f * (float)i;
        aggregate[i] = 6e7f;
    }
    layer_recoveries();
    annual_paid();
    printf("%g %g\n", paid[0][0], paid[9][4999]);
    return 0;
}
