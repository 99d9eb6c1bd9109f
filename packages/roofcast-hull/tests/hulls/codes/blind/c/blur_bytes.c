#include <stdint.h>
#define H 1080
#define W 1920

void blur121(const uint8_t in[H][W], uint8_t out[H][W])
{
    for (int y = 1; y < H - 1; y++) {
        for (int x = 1; x < W - 1; x++) {
            unsigned s = in[y - 1][x - 1] + 2 * in[y - 1][x] + in[y - 1][x + 1]
                       + 2 * in[y][x - 1] + 4 * in[y][x] + 2 * in[y][x + 1]
                       + in[y + 1][x - 1] + 2 * in[y + 1][x] + in[y + 1][x + 1];
            out[y][x] = s >> 4;
        }
    }
}
