/* Green of every pixel of a 12-bit Bayer frame, along the weaker edge. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1200
#define COLS 1600

static uint16_t raw[ROWS * COLS], green[ROWS * COLS];

void green_plane(void)
{
    for (int y = 2; y < ROWS - 2; y++) {
        for (int x = 2; x < COLS - 2; x++) {
            const uint16_t *p = raw + y * COLS + x;
            if (((x ^ y) & 1) == 0) {
                green[y * COLS + x] = *p;
                continue;
            }
            int across = abs(p[-1] - p[1]) + abs(2 * p[0] - p[-2] - p[2]);
            int along = abs(p[-COLS] - p[COLS]) + abs(2 * p[0] - p[-2 * COLS] - p[2 * COLS]);
            int v;
            if (across < along)
                v = (p[-1] + p[1]) / 2 + (2 * p[0] - p[-2] - p[2]) / 4;
            else
                v = (p[-COLS] + p[COLS]) / 2 + (2 * p[0] - p[-2 * COLS] - p[2 * COLS]) / 4;
            green[y * COLS + x] = v < 0 ? 0 : v > 4095 ? 4095 : v;
        }
    }
}

int main(void)
{
    for (int i = 0; i < ROWS * COLS; i++)
        raw[i] = (uint16_t)((i * 29 + i / COLS * 131) & 4095);
    green_plane();
    printf("%d\n", green[600 * COLS + 801]);
    return 0;
}
