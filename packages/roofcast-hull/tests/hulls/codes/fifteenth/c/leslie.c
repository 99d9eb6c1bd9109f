/* cohort-component projection of many regions: births by age-specific fertility, survivors one year older */
#include <stdio.h>
#include <stdlib.h>

#define REGIONS 2048
#define AGES 90
#define YEARS 50

static double fert[AGES], surv[AGES];
static double pop_a[REGIONS * AGES], pop_b[REGIONS * AGES];

void project(double *now, double *next)
{
    for (int year = 0; year < YEARS; year++) {
        for (int r = 0; r < REGIONS; r++) {
            double births = 0.0;
            for (int a = 0; a < AGES; a++)
                births += fert[a] * now[r * AGES + a];
            next[r * AGES] = 0.49 * births;
            for (int a = 1; a < AGES; a++)
                next[r * AGES + a] = surv[a - 1] * now[r * AGES + a - 1];
        }
        double *t = now;
        now = next;
        next = t;
    }
}

int main(void)
{
    for (int a = 0; a < AGES; a++) {
        fert[a] = a > 15 && a < 45 ? 0.07 : 0.0;
        surv[a] = a < 60 ? 0.998 : 0.95;
    }
    for (int i = 0; i < REGIONS * AGES; i++)
        pop_a[i] = 100 + rand() % 900;
    project(pop_a, pop_b);
    printf("%f\n", pop_a[5]);
    return 0;
}
