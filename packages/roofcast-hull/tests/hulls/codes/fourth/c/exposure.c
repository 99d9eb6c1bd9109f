#include <stdio.h>
#include <stdlib.h>

/* What a portfolio of n assets owes to each of m factors. loadings: one row for each asset. */
void factor_exposure(size_t n, size_t m, const float *restrict loadings, const float *restrict weight, float *restrict total)
{
    for (size_t f = 0; f < m; f++) {
        float s = 0.0f;
        for (size_t a = 0; a < n; a++)
            s += weight[a] * loadings[a * m + f];
        total[f] = s;
    }
}

int main(void)
{
    const size_t assets = 3000, factors = 24;
    float *loadings = calloc(assets * factors, sizeof(float));
    float *weight = calloc(assets, sizeof(float));
    float *total = calloc(factors, sizeof(float));

    if (!loadings || !weight || !total)
        return EXIT_FAILURE;
    for (size_t i = 0; i < assets; i++)
        weight[i] = 1.0f / (float)assets;
    for (size_t i = 0; i < assets * factors; i++)
        loadings[i] = (float)(i % 101) * 0.02f - 1.0f;

    factor_exposure(assets, factors, loadings, weight, total);
    for (size_t f = 0; f < factors; f++)
        printf("%2zu %8.4f\n", f, total[f]);
    free(loadings); free(weight); free(total);
    return 0;
}
