/* From RGB to four plates, and from a plate to dots. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDE = 800, HIGH = 600, BYTES = WIDE / 8 };

static uint8_t rgb[HIGH * WIDE * 3];
static uint8_t cyan[HIGH * WIDE], magenta[HIGH * WIDE], yellow[HIGH * WIDE], black[HIGH * WIDE];
static uint8_t press_curve[256], cell[8][8];
static uint8_t plate[HIGH][BYTES];
static int dots[HIGH];

static void separate(void)
{
    for (int i = 0; i < WIDE * HIGH; i++) {
        const uint8_t *px = rgb + 3 * i;
        int c = 255 - px[0], m = 255 - px[1], y = 255 - px[2];
        int k = c < m ? c : m;
        k = k < y ? k : y;
        cyan[i] = (uint8_t)(c - k);
        magenta[i] = (uint8_t)(m - k);
        yellow[i] = (uint8_t)(y - k);
        black[i] = (uint8_t)k;
    }
}

static void screen_black(void)
{
    for (int y = 0; y < HIGH; y++) {
        for (int b = 0; b < BYTES; b++) {
            unsigned bits = 0;
            for (int x = 0; x < 8; x++) {
                unsigned tone = press_curve[black[y * WIDE + 8 * b + x]];
                bits = (bits << 1) | (tone > cell[y & 7][x]);
            }
            plate[y][b] = (uint8_t)bits;
        }
    }
}

static void ink_by_row(void)
{
    for (int y = 0; y < HIGH; ++y) {
        const uint8_t *row = plate[y], *end = row + BYTES;
        int n = 0;
        for (; row != end; ++row) {
            unsigned v = *row;
            v = v - ((v >> 1) & 0x55u);
            v = (v & 0x33u) + ((v >> 2) & 0x33u);
            v = (v + (v >> 4)) & 0x0fu;
            n += (int)v;
        }
        dots[y] = n;
    }
}

int main(void)
{
    for (int i = 0; i < WIDE * HIGH * 3; i++)
        rgb[i] = (uint8_t)(i * 37 >> 3);
    for (int i = 0; i < 256; i++)
        press_curve[i] = (uint8_t)(i * i / 255);
    for (int i = 0; i < 64; i++)
        cell[i >> 3][i & 7] = (uint8_t)((i * 29 & 63) * 4 + 2);
    separate();
    screen_black();
    ink_by_row();
    printf("%d %d\n", dots[0], dots[HIGH - 1]);
    return 0;
}
