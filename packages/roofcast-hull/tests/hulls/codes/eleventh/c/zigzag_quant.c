/* JPEG-like back end: quantise 8x8 blocks along the zigzag, difference the DCs, count what is left. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NBLK 7200

static const uint8_t zz[64] = {
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63 };

static float coef[NBLK][64], recip[64];
static int16_t level[NBLK][64];
static int16_t dcdiff[NBLK];
static int alive[NBLK];

static void quantise_blocks(void)
{
    for (int b = 0; b < NBLK; b++)
        for (int i = 0; i < 64; i++) {
            int src = zz[i];
            level[b][i] = (int16_t)rintf(coef[b][src] * recip[src]);
        }
}

static void difference_dc(void)
{
    dcdiff[0] = level[0][0];
    for (int b = 1; b < NBLK; b++)
        dcdiff[b] = (int16_t)(level[b][0] - level[b - 1][0]);
}

static void count_alive(void)
{
    for (int b = 0; b < NBLK; b++) {
        int n = 0;
        for (int i = 1; i < 64; i++)
            n += level[b][i] != 0;
        alive[b] = n;
    }
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        recip[i] = 1.0f / (8.0f + i);
    for (int b = 0; b < NBLK; b++)
        for (int i = 0; i < 64; i++)
            coef[b][i] = (float)(rand() % 512 - 256) / (1 + i);
    quantise_blocks();
    difference_dc();
    count_alive();
    printf("%d %d\n", dcdiff[9], alive[9]);
    return 0;
}
