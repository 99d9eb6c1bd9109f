/* Inverse 8x8 DCT of all blocks of a plane with the definition as two passes of matrix products,
 * and the dequantisation before it. Self-counted at full size. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 3600 /* 640 x 360 pixels */

static float coef[BLOCKS][8][8];
static float pix[BLOCKS][8][8];
static float cosines[8][8];

static void init_cosines(void)
{
    for (int x = 0; x < 8; x++)
        for (int u = 0; u < 8; u++)
            cosines[x][u] = (u == 0 ? 0.35355339f : 0.5f) * (float)cos((2 * x + 1) * u * 3.14159265358979 / 16.0);
}

void dequantise(const int16_t (*restrict q)[64], const uint16_t *restrict table)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 64; k++)
            coef[b][k >> 3][k & 7] = (float)(q[b][k] * table[k]);
}

void idct_blocks(void)
{
#pragma omp parallel for
    for (int b = 0; b < BLOCKS; b++) {
        float tmp[8][8];
        for (int v = 0; v < 8; v++)
            for (int x = 0; x < 8; x++) {
                float s = 0.0f;
                for (int u = 0; u < 8; u++)
                    s += cosines[x][u] * coef[b][v][u];
                tmp[v][x] = s;
            }
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) {
                float s = 0.0f;
                for (int v = 0; v < 8; v++)
                    s += cosines[y][v] * tmp[v][x];
                pix[b][y][x] = s + 128.0f;
            }
    }
}

int main(void)
{
    int16_t (*q)[64] = calloc(BLOCKS, sizeof *q);
    uint16_t table[64];
    if (!q) return 1;
    init_cosines();
    for (int k = 0; k < 64; k++) table[k] = (uint16_t)(8 + k);
    for (int b = 0; b < BLOCKS; b++) {
        q[b][0] = (int16_t)(b % 100 - 50);
        q[b][9] = 3;
    }
    dequantise((const int16_t (*)[64])q, table);
    idct_blocks();
    printf("%f %f\n", pix[0][0][0], pix[BLOCKS - 1][7][7]);
    free(q);
    return 0;
}
