/* Cloth from a weaving draft: threading, tie-up and treadling. */
#include <stdint.h>
#include <stdio.h>

#define PICKS 2048
#define ENDS 1024
#define TREADLES 16

static uint16_t tieup[TREADLES];
static uint8_t treadle[PICKS], shaft[ENDS];
static uint8_t cloth[PICKS][ENDS];
static int ties[ENDS], longest[PICKS];

static void drawdown(void)
{
    for (int p = 0; p < PICKS; p++)
        for (int e = 0; e < ENDS; e++)
            cloth[p][e] = (tieup[treadle[p]] >> shaft[e]) & 1;
}

static void interlacings(void)
{
    for (int e = 0; e < ENDS; e++) {
        int n = 0;
        for (int p = 0; p < PICKS - 1; p++)
            n += cloth[p][e] ^ cloth[p + 1][e];
        ties[e] = n;
    }
}

static void floats(void)
{
    for (int p = 0; p < PICKS; p++) {
        const uint8_t *row = cloth[p];
        int run = 1, best = 1;
        for (int e = 1; e < ENDS; e++) {
            run = (row[e] == row[e - 1]) * run + 1;
            best = run > best ? run : best;
        }
        longest[p] = best;
    }
}

int main(void)
{
    for (int t = 0; t < TREADLES; t++)
        tieup[t] = (uint16_t)((0x3333u << (t & 3)) | (t >> 2));
    for (int p = 0; p < PICKS; p++)
        treadle[p] = (uint8_t)((p * 5 + p / 7) % TREADLES);
    for (int e = 0; e < ENDS; e++)
        shaft[e] = (uint8_t)(e % 30 < 16 ? e % 30 : 30 - e % 30);
    drawdown();
    interlacings();
    floats();
    printf("%d %d %d\n", cloth[4][9], ties[0], longest[100]);
    return 0;
}
