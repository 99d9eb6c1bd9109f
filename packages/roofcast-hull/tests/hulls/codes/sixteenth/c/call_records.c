/* Telephone calls: prices by tariff zone, load of the cells, blocking of trunk groups. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS  500000L
#define CELLS  400
#define GROUPS 10000
#define TRUNKS 60

struct tariff { float setup, per_minute; };

static uint16_t seconds[CALLS], cell[CALLS];
static uint8_t zone[CALLS];
static float price[CALLS];
static uint64_t busy[CELLS];
static double offered[GROUPS], blocked[GROUPS];
static struct tariff book[32];

static void rate_calls(const struct tariff *t)
{
    for (long i = 0; i < CALLS; i++) {
        const struct tariff *z = &t[zone[i]];
        int minutes = (seconds[i] + 59) / 60;
        price[i] = z->setup + z->per_minute * minutes;
    }
}

static void load_cells(void)
{
    long i = 0;
    for (int c = 0; c < CELLS; c++)
        busy[c] = 0;
    while (i < CALLS) {
        busy[cell[i]] += seconds[i];
        i++;
    }
}

static void erlang_b(const double *erl, double *pb)
{
    for (int g = 0; g < GROUPS; g++) {
        double b = 1.0;
        for (int k = 1; k <= TRUNKS; k++) {
            double ab = erl[g] * b;
            b = ab / (k + ab);
        }
        pb[g] = b;
    }
}

int main(void)
{
    for (int z = 0; z < 32; z++)
        book[z] = (struct tariff){.setup = 0.05f, .per_minute = 0.01f * (float)(z + 1)};
    for (long i = 0; i < CALLS; i++) {
        seconds[i] = (uint16_t)(i * 17 % 3601);
        cell[i] = (uint16_t)(i * 31 % CELLS);
        zone[i] = (uint8_t)(i * 7 % 32);
    }
    for (int g = 0; g < GROUPS; g++)
        offered[g] = 20.0 + 0.006 * g;
    rate_calls(book);
    load_cells();
    erlang_b(offered, blocked);
    printf("%g %lu %g\n", price[11], (unsigned long)busy[11], blocked[9000]);
    return 0;
}
