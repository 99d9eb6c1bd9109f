/* From monitor pixels to four inks: separation, dot gain, and bits by error diffusion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H 600
#define W 900
typedef unsigned char u8;

static u8 rgb[H * W * 3];
static u8 cmyk[H * W * 4];
static u8 press[H * W * 4];
static u8 gain[4][256];
static short plane[H][W + 2];
static u8 dots[H][W];

void separate(const u8 *in, u8 *out, int gcr, int limit)
{
    for (int i = 0; i < H * W; i++) {
        int c = 255 - in[3 * i];
        int m = 255 - in[3 * i + 1];
        int y = 255 - in[3 * i + 2];
        int k = c < m ? c : m;
        k = k < y ? k : y;
        k = (k * gcr) >> 8;
        c -= k;
        m -= k;
        y -= k;
        int total = c + m + y + k;
        if (total > limit) {
            c = c * limit / total;
            m = m * limit / total;
            y = y * limit / total;
        }
        out[4 * i] = (u8)c;
        out[4 * i + 1] = (u8)m;
        out[4 * i + 2] = (u8)y;
        out[4 * i + 3] = (u8)k;
    }
}

void dot_gain(const u8 *in, u8 *out)
{
    for (int i = 0; i < H * W; i++)
        for (int ink = 0; ink < 4; ink++)
            out[i * 4 + ink] = gain[ink][in[i * 4 + ink]];
}

void diffuse_error(void)
{
    for (int y = 0; y < H - 1; y++)
        for (int x = 1; x <= W; x++) {
            int v = plane[y][x];
            int on = v > 127;
            int err = v - (on ? 255 : 0);
            dots[y][x - 1] = (u8)on;
            plane[y][x + 1] += (short)(err * 7 / 16);
            plane[y + 1][x - 1] += (short)(err * 3 / 16);
            plane[y + 1][x] += (short)(err * 5 / 16);
            plane[y + 1][x + 1] += (short)(err / 16);
        }
}

int main(void)
{
    for (int i = 0; i < H * W * 3; i++) rgb[i] = (u8)(i * 31 >> 4);
    for (int k = 0; k < 4; k++)
        for (int v = 0; v < 256; v++) gain[k][v] = (u8)(v + v * (255 - v) / (700 + 50 * k));
    separate(rgb, cmyk, 180, 560);
    dot_gain(cmyk, press);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) plane[y][x + 1] = press[4 * (y * W + x) + 3];
    diffuse_error();
    printf("%d %d %d\n", cmyk[100], press[101], dots[5][5]);
    return 0;
}
