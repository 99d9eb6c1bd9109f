/* methylation array: beta values of probes, and the mean M-value of each gene's fifteen promoter probes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GENES 30000
#define PER_GENE 15
#define PROBES (GENES * PER_GENE)

void beta_values(const float *meth, const float *unmeth, float *beta)
{
    const float *end = meth + PROBES;
    while (meth < end) {
        float m = *meth++;
        *beta++ = m / (m + *unmeth++ + 100.0f);
    }
}

void gene_m(const float *beta, float *gene)
{
    for (int g = 0; g < GENES; g++) {
        float sum = 0.0f;
        for (int p = 0; p < PER_GENE; p++) {
            float b = beta[g * PER_GENE + p];
            sum += log2f(b / (1.0f - b));
        }
        gene[g] = sum / PER_GENE;
    }
}

int main(void)
{
    float *m = malloc(PROBES * sizeof(float)), *u = malloc(PROBES * sizeof(float));
    float *beta = malloc(PROBES * sizeof(float)), *gene = malloc(GENES * sizeof(float));
    for (int i = 0; i < PROBES; i++) {
        m[i] = 100 + rand() % 20000;
        u[i] = 100 + rand() % 20000;
    }
    beta_values(m, u, beta);
    gene_m(beta, gene);
    printf("%f\n", gene[7]);
    free(m); free(u); free(beta); free(gene);
    return 0;
}
