/* Costing of a day's batches.  Columns come from the till export. */
#include <stdio.h>
#include <stdlib.h>

#define BATCHES 50000
#define INGR 6

static int grams[BATCHES][INGR];
static unsigned char hour_of[BATCHES];
static float minutes[BATCHES];
static double cost[BATCHES];
static const double per_kilo[INGR] = { 0.82, 6.40, 1.15, 9.90, 0.31, 4.75 };

static void price_batches(double oven_rate)
{
    for (int b = 0; b < BATCHES; b++) {
        const int *g = grams[b];
        double sum = 0.0;
        for (int k = 0; k < INGR; k++)
            sum += g[k] * per_kilo[k];
        cost[b] = sum / 1000.0 + oven_rate * minutes[b];
    }
}

static void busiest_hour(long by_hour[24])
{
    const unsigned char *p = hour_of, *end = hour_of + BATCHES;
    for (int h = 0; h < 24; h++)
        by_hour[h] = 0;
    while (p < end)
        by_hour[*p++] += 1;
}

static double dearest(void)
{
    double m = 0;
    for (int i = 0; i < BATCHES; ++i)
        if (cost[i] > m) m = cost[i];
    return m;
}

int main(void)
{
    long by_hour[24];
    srand(7);
    for (int b = 0; b < BATCHES; b++) {
        for (int k = 0; k < INGR; k++) grams[b][k] = rand() % 4000;
        hour_of[b] = rand() % 24;
        minutes[b] = 10 + rand() % 50;
    }
    price_batches(0.045);
    busiest_hour(by_hour);
    printf("%ld batches at six, dearest %.2f\n", by_hour[6], dearest());
    return 0;
}
