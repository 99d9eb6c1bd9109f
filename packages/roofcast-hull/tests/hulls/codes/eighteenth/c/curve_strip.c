/* Strip discount factors from par swap rates in every scenario. */
#include <stdio.h>
#include <stdlib.h>

#define SCEN  5000
#define YEARS 30

static double par[SCEN][YEARS], df[SCEN][YEARS];

void strip_curves(void)
{
#pragma omp parallel for
    for (int s = 0; s < SCEN; s++) {
        double annuity = 0.0;
        for (int y = 0; y < YEARS; y++) {
            df[s][y] = (1.0 - par[s][y] * annuity) / (1.0 + par[s][y]);
            annuity += df[s][y];
        }
    }
}

int main(void)
{
    for (int s = 0; s < SCEN; s++)
        for (int y = 0; y < YEARS; y++)
            par[s][y] = 0.01 + 0.0001 * (rand() % 300);
    strip_curves();
    printf("%f\n", df[11][YEARS - 1]);
    return 0;
}
