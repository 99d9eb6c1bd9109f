/* soft branch metrics of a rate 1/2 code, K = 7, and the usual add-compare-select */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#define NSYM 65536
#define NSTATE 64

static int8_t soft[2 * NSYM];
static int16_t bm[NSYM][4];
static uint8_t erased[NSYM];

void branch_metrics(void)
{
    for (int t = 0; t < NSYM; t++) {
        int a = soft[2 * t], b = soft[2 * t + 1];
        bm[t][0] = (int16_t)(-a - b);
        bm[t][1] = (int16_t)(b - a);
        bm[t][2] = (int16_t)(a - b);
        bm[t][3] = (int16_t)(a + b);
    }
}

/* a pair too weak to be trusted */
void mark_erasures(int floor_level)
{
    for (int t = 0; t < NSYM; t++)
        erased[t] = abs(soft[2 * t]) + abs(soft[2 * t + 1]) < floor_level;
}

int run_of_erasures(void)
{
    int best = 0, t = 0;
    while (t < NSYM) {
        int u = t;
        while (u < NSYM && erased[u]) u++;
        if (u - t > best) best = u - t;
        t = u + 1;
    }
    return best;
}

int main(void)
{
    for (int i = 0; i < 2 * NSYM; i++)
        soft[i] = (int8_t)((i * 2654435761u) >> 24);
    branch_metrics();
    mark_erasures(20);
    printf("%d %d\n", bm[5][3], run_of_erasures());
    return 0;
}
