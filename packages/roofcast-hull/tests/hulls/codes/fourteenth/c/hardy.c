/* Hardy-Weinberg chi square for each marker; genotypes coded 0, 1, 2 (copies of the minor allele). */
#include <stdio.h>
#include <stdlib.h>

#define MARKERS 4000
#define PEOPLE 500

static signed char geno[MARKERS][PEOPLE];
static double chi2[MARKERS];

void hwe(void)
{
    for (int m = 0; m < MARKERS; m++) {
        int het = 0, hom = 0;
        for (int p = 0; p < PEOPLE; p++) {
            het += geno[m][p] == 1;
            hom += geno[m][p] == 2;
        }
        double f = (het + 2.0 * hom) / (2.0 * PEOPLE);
        double e1 = 2.0 * f * (1.0 - f) * PEOPLE;
        double e2 = f * f * PEOPLE;
        double d1 = het - e1, d2 = hom - e2;
        chi2[m] = d1 * d1 / e1 + d2 * d2 / e2;
    }
}

int main(void)
{
    srand(3);
    for (int m = 0; m < MARKERS; m++)
        for (int p = 0; p < PEOPLE; p++)
            geno[m][p] = (rand() % 100 < 30) + (rand() % 100 < 30);
    hwe();
    int odd = 0;
    for (int m = 0; m < MARKERS; m++)
        odd += chi2[m] > 3.84;
    printf("%d of %d markers deviate\n", odd, MARKERS);
    return 0;
}
