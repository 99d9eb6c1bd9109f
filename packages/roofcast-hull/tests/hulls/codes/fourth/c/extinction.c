/* Atmospheric extinction: from counts of a detector to magnitudes above the atmosphere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STARS 375000

static void extinction(int n, const double *counts, const double *airmass, double exposure, double k,
                       double zero_point, double *magnitude)
{
    for (int i = 0; i < n; ++i)
        magnitude[i] = zero_point - 2.5 * log10(counts[i] / exposure) - k * airmass[i];
}

int main(void)
{
    double *counts = malloc(STARS * sizeof *counts);
    double *airmass = malloc(STARS * sizeof *airmass);
    double *magnitude = malloc(STARS * sizeof *magnitude);
    for (int i = 0; i < STARS; i++) {
        counts[i] = 50.0 + (i % 911);
        airmass[i] = 1.0 + (i % 37) / 36.0;
    }
    extinction(STARS, counts, airmass, 30.0, 0.14, 24.3, magnitude);
    printf("%f %f\n", magnitude[0], magnitude[STARS - 1]);
    free(counts);
    free(airmass);
    free(magnitude);
    return 0;
}
