/* Encoder middle stage: quantise 8x8 coefficient blocks, then code the DC terms as differences. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BW 160
#define BH 90
#define NBLOCK (BW * BH)

static float coef[NBLOCK][64];
static int16_t level[NBLOCK][64];
static int16_t dc_diff[NBLOCK];

static void quantise(const float recip[64])
{
    int b, k;
    for (b = 0; b < NBLOCK; b++)
        for (k = 0; k < 64; k++) {
            float v = coef[b][k] * recip[k];
            level[b][k] = (int16_t)(v < 0 ? v - 0.5f : v + 0.5f);
        }
}

static void code_dc(void)
{
    dc_diff[0] = level[0][0];
    for (int b = 1; b < NBLOCK; b++)
        dc_diff[b] = level[b][0] - level[b - 1][0];
}

int main(void)
{
    float recip[64];
    for (int k = 0; k < 64; k++)
        recip[k] = 1.0f / (8 + k);
    for (int b = 0; b < NBLOCK; b++)
        for (int k = 0; k < 64; k++)
            coef[b][k] = (rand() % 400 - 200) / (1.0f + k);
    quantise(recip);
    code_dc();
    printf("%d\n", dc_diff[7]);
    return 0;
}
