#include <math.h>
#include <stdlib.h>

/* Mean over the good pixels of an exposure. */
double masked_mean(const float *flux, const unsigned char *bad, long n)
{
    double sum = 0.0;
    long good = 0;
#pragma omp parallel for reduction(+ : sum, good)
    for (long i = 0; i < n; i++) {
        if (!bad[i]) {
            sum += flux[i];
            good++;
        }
    }
    return good ? sum / good : NAN;
}

int main(void)
{
    long n = 4096L * 2048L;
    float *flux = calloc(n, sizeof(float));
    unsigned char *bad = calloc(n, 1);
    double m = masked_mean(flux, bad, n);
    free(flux);
    free(bad);
    return isnan(m);
}
