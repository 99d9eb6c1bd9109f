/* Column store: a filtered aggregate and a small group-by. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NROWS 1000000

typedef struct {
    int32_t *shipdate;
    float *discount, *quantity, *price;
    uint8_t *flag, *status;
} table_t;

static double forecast_revenue(const int32_t *shipdate, const float *discount,
                               const float *quantity, const float *price, size_t n)
{
    double revenue = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (shipdate[i] < 8766 || shipdate[i] >= 9131)
            continue;
        if (discount[i] < 0.05f || discount[i] > 0.07f)
            continue;
        if (quantity[i] < 24.0f)
            revenue += price[i] * discount[i];
    }
    return revenue;
}

static void pricing_summary(const uint8_t *flag, const uint8_t *status, const float *quantity,
                            double total[3][2], long count[3][2])
{
    for (int f = 0; f < 3; f++)
        for (int s = 0; s < 2; s++) {
            total[f][s] = 0.0;
            count[f][s] = 0;
        }
    for (int i = 0; i < NROWS; i++) {
        total[flag[i]][status[i]] += quantity[i];
        count[flag[i]][status[i]] += 1;
    }
}

int main(void)
{
    table_t t;
    t.shipdate = malloc(NROWS * sizeof(int32_t));
    t.discount = malloc(NROWS * sizeof(float));
    t.quantity = malloc(NROWS * sizeof(float));
    t.price = malloc(NROWS * sizeof(float));
    t.flag = malloc(NROWS);
    t.status = malloc(NROWS);
    for (int i = 0; i < NROWS; i++) {
        t.shipdate[i] = 8000 + rand() % 2500;
        t.discount[i] = (rand() % 11) * 0.01f;
        t.quantity[i] = 1 + rand() % 50;
        t.price[i] = 900.0f + rand() % 1000;
        t.flag[i] = rand() % 3;
        t.status[i] = rand() % 2;
    }
    static double total[3][2];
    static long count[3][2];
    double r = forecast_revenue(t.shipdate, t.discount, t.quantity, t.price, NROWS);
    pricing_summary(t.flag, t.status, t.quantity, total, count);
    printf("%f %f %ld\n", r, total[1][1], count[2][0]);
    return 0;
}
