/* On-chip style 2x2 binning of a CCD frame, after taking the bias off. Saturated sums clip at 16 bits. */
#include <stdio.h>
#include <stdint.h>

#define NY 1024
#define NX 2048

static uint16_t frame[NY][NX];
static uint16_t binned[NY / 2][NX / 2];

static void bin2(int bias)
{
    int y, x;
    for (y = 0; y < NY; y += 2) {
        for (x = 0; x < NX; x += 2) {
            int s = frame[y][x] + frame[y][x + 1] + frame[y + 1][x] + frame[y + 1][x + 1];
            s -= 4 * bias;
            if (s < 0) s = 0;
            if (s > 65535) s = 65535;
            binned[y / 2][x / 2] = (uint16_t)s;
        }
    }
}

int main(void)
{
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            frame[y][x] = (uint16_t)(900 + (x * 31 + y * 17) % 400);
    bin2(850);
    printf("%u %u\n", binned[0][0], binned[511][1023]);
    return 0;
}
