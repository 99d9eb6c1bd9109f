#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 2048
#define LEN 64
#define KMAX 15

/* signed residual -> unsigned, small magnitudes first */
void fold(const int32_t *res, uint32_t *u, int n)
{
    while (n--) {
        int32_t r = *res++;
        *u++ = ((uint32_t)r << 1) ^ (uint32_t)(r >> 31);
    }
}

void cost_table(const uint32_t u[BLOCKS][LEN], uint32_t cost[BLOCKS][KMAX])
{
    int b, k, i;
    for (b = 0; b < BLOCKS; b++)
        for (k = 0; k < KMAX; k++) {
            uint32_t bits = LEN * (k + 1);
            for (i = 0; i < LEN; i++)
                bits += u[b][i] >> k;
            cost[b][k] = bits;
        }
}

void choose(const uint32_t cost[BLOCKS][KMAX], uint8_t *best)
{
    for (int b = 0; b < BLOCKS; b++) {
        int arg = 0;
        for (int k = 1; k < KMAX; k++)
            if (cost[b][k] < cost[b][arg])
                arg = k;
        best[b] = (uint8_t)arg;
    }
}

int main(void)
{
    static int32_t res[BLOCKS * LEN];
    static uint32_t u[BLOCKS][LEN], cost[BLOCKS][KMAX];
    static uint8_t best[BLOCKS];
    for (int i = 0; i < BLOCKS * LEN; i++)
        res[i] = rand() % 101 - 50;
    fold(res, &u[0][0], BLOCKS * LEN);
    cost_table(u, cost);
    choose(cost, best);
    printf("%d %u\n", best[5], cost[5][best[5]]);
    return 0;
}
