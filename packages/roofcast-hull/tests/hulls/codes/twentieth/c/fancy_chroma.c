/* 4:2:2 to RGB with the triangle filter of the usual JPEG decoders */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 480
#define CW 360
#define YW (2 * CW)

static inline uint8_t clamp8(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

void h2v1(uint8_t (*restrict in)[CW], uint8_t (*restrict out)[YW])
{
    for (int r = 0; r < ROWS; r++) {
        out[r][0] = in[r][0];
        for (int c = 1; c < CW; c++) {
            out[r][2 * c - 1] = (uint8_t)((3 * in[r][c - 1] + in[r][c] + 1) >> 2);
            out[r][2 * c] = (uint8_t)((3 * in[r][c] + in[r][c - 1] + 2) >> 2);
        }
        out[r][YW - 1] = in[r][CW - 1];
    }
}

void to_rgb(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb, int n)
{
    while (n-- > 0) {
        int l = *y++ << 16, b = *cb++ - 128, r = *cr++ - 128;
        rgb[0] = clamp8((l + 91881 * r) >> 16);
        rgb[1] = clamp8((l - 22554 * b - 46802 * r) >> 16);
        rgb[2] = clamp8((l + 116130 * b) >> 16);
        rgb += 3;
    }
}

int main(void)
{
    static uint8_t y[ROWS][YW], cb[ROWS][CW], cr[ROWS][CW], ub[ROWS][YW], ur[ROWS][YW];
    uint8_t *rgb = malloc(3 * ROWS * YW);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < YW; c++) {
            y[r][c] = (uint8_t)(r + c);
            cb[r][c / 2] = (uint8_t)(c / 2);
            cr[r][c / 2] = (uint8_t)(r * 2);
        }
    h2v1(cb, ub);
    h2v1(cr, ur);
    to_rgb(&y[0][0], &ub[0][0], &ur[0][0], rgb, ROWS * YW);
    printf("%d %d %d\n", rgb[3000], rgb[3001], rgb[3002]);
    free(rgb);
    return 0;
}
