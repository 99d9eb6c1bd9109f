// pictures for a text terminal: 2x4 dots in each Braille cell
#include <stdio.h>
#include <stdint.h>

#define W 640
#define H 480
#define CW (W / 2)
#define CH (H / 4)

static uint8_t photo[H][W];
static uint8_t cell[CH][CW];
static const uint8_t dot[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};

long brightness(void)
{
    long s = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            s += photo[y][x];
    return s;
}

void to_cells(int t)
{
    for (int cy = 0; cy < CH; cy++)
        for (int cx = 0; cx < CW; cx++) {
            uint8_t b = 0;
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 2; c++)
                    if (photo[cy * 4 + r][cx * 2 + c] > t)
                        b |= dot[r][c];
            cell[cy][cx] = b;
        }
}

int main(void)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            photo[y][x] = (uint8_t)((x * x + y * 3) >> 4);
    to_cells((int)(brightness() / (W * H)));
    for (int c = 0; c < 8; c++)
        printf("\xe2%c%c", 0xa0 | cell[60][c] >> 6, 0x80 | (cell[60][c] & 63));
    puts("");
    return 0;
}
