/* dendrochronology: detrend ring widths by a negative exponential, then average trees into a site chronology */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TREES 300
#define YEARS 400

static double width[TREES][YEARS], rwi[TREES][YEARS];
static double amp[TREES], rate[TREES], floor_[TREES]; /* rate is negative */
static double chron[YEARS];

void ring_index(void)
{
    for (int t = 0; t < TREES; t++) {
        for (int y = 0; y < YEARS; y++) {
            double expected = amp[t] * exp(rate[t] * y) + floor_[t];
            rwi[t][y] = width[t][y] / expected;
        }
    }
}

void chronology(void)
{
    for (int y = 0; y < YEARS; y++) {
        double s = 0.0;
        for (int t = 0; t < TREES; t++)
            s += rwi[t][y];
        chron[y] = s / TREES;
    }
}

int main(void)
{
    srand(4);
    for (int t = 0; t < TREES; t++) {
        amp[t] = 1.0 + rand() / (double)RAND_MAX;
        rate[t] = -0.02;
        floor_[t] = 0.4;
        for (int y = 0; y < YEARS; y++)
            width[t][y] = 0.3 + rand() / (double)RAND_MAX;
    }
    ring_index();
    chronology();
    printf("%g %g\n", chron[0], chron[YEARS - 1]);
    return 0;
}
