/* Ground temperature under many stations: implicit diffusion by the Thomas algorithm, one column each. */
#include <stdio.h>
#include <stdlib.h>

#define STATIONS 4096
#define LAYERS 40

typedef double column_t[LAYERS];

static column_t temp[STATIONS];
static double surface[STATIONS], thaw[STATIONS];

void step_columns(double lambda)
{
#pragma omp parallel for
    for (int s = 0; s < STATIONS; s++) {
        double cp[LAYERS], dp[LAYERS];
        double *t = temp[s];

        cp[0] = 0.0;
        dp[0] = surface[s];
        for (int k = 1; k < LAYERS - 1; k++) {
            double m = 1.0 / (1.0 + 2.0 * lambda + lambda * cp[k - 1]);
            cp[k] = -lambda * m;
            dp[k] = (t[k] + lambda * dp[k - 1]) * m;
        }
        /* no flux through the bottom */
        t[LAYERS - 1] = dp[LAYERS - 2] / (1.0 + cp[LAYERS - 2]);
        for (int k = LAYERS - 2; k >= 0; k--)
            t[k] = dp[k] - cp[k] * t[k + 1];
    }
}

/* depth of the deepest layer above freezing, layers are 10 cm */
void active_layer(void)
{
    for (int s = 0; s < STATIONS; s++) {
        double d = 0.0;
        for (int k = 0; k < LAYERS; k++)
            d = temp[s][k] > 0.0 ? 0.1 * (k + 1) : d;
        thaw[s] = d;
    }
}

int main(void)
{
    for (int s = 0; s < STATIONS; s++) {
        surface[s] = (s % 31) - 10.0;
        for (int k = 0; k < LAYERS; k++)
            temp[s][k] = -4.0 + 0.01 * k;
    }
    for (int day = 0; day < 30; day++)
        step_columns(0.35);
    active_layer();
    printf("%f\n", thaw[29]);
    return 0;
}
