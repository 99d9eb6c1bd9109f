/* Bright spots of a microscope frame: opening residue on 8-bit pixels. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define W 1920
#define H 1080
#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

static inline int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* minimum of seven pixels along a row, borders repeated */
void erode_line(const uint8_t *src, uint8_t *dst)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint8_t m = 255;
            for (int k = -3; k <= 3; k++) {
                uint8_t v = src[y * W + clampi(x + k, 0, W - 1)];
                m = MIN2(m, v);
            }
            dst[y * W + x] = m;
        }
}

/* maximum over a plus sign; the frame's border is left alone */
void dilate_plus(const uint8_t *src, uint8_t *dst)
{
    for (int y = 1; y < H - 1; y++) {
        const uint8_t *up = src + (y - 1) * W, *mid = up + W, *down = mid + W;
        uint8_t *o = dst + y * W;
        for (int x = 1; x < W - 1; x++) {
            uint8_t a = MAX2(up[x], down[x]);
            uint8_t b = MAX2(mid[x - 1], mid[x + 1]);
            a = MAX2(a, b);
            o[x] = MAX2(a, mid[x]);
        }
    }
}

/* what the opening took away, nothing below the noise */
void residue(const uint8_t *img, const uint8_t *opened, uint8_t *spots)
{
    const uint8_t *end = img + W * H;
    while (img < end) {
        int d = *img++ - *opened++;
        *spots++ = d > 12 ? d : 0;
    }
}

int main(void)
{
    uint8_t *a = malloc(W * H), *b = calloc(W * H, 1), *c = calloc(W * H, 1), *d = malloc(W * H);
    for (int i = 0; i < W * H; i++)
        a[i] = (uint8_t)((i * 37 + i / W * 11) % 251);
    erode_line(a, b);
    dilate_plus(b, c);
    residue(a, c, d);
    printf("%d\n", d[W * 500 + 700]);
    free(a); free(b); free(c); free(d);
    return 0;
}
