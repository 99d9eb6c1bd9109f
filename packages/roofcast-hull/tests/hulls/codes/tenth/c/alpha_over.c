/* Porter-Duff "over" of two premultiplied RGBA8 images by walking pointers, and a premultiply pass.
 * Integer work on the bytes, counted by hand. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 800
#define HEIGHT 600

/* x / 255, rounded, for 0 <= x <= 65025 */
#define DIV255(x) (((x) + 128 + (((x) + 128) >> 8)) >> 8)

void over_premultiplied(uint8_t *dst, const uint8_t *src, int npix)
{
    const uint8_t *end = src + 4 * npix;
    while (src != end) {
        unsigned inv = 255 - src[3];
        dst[0] = (uint8_t)(src[0] + DIV255(dst[0] * inv));
        dst[1] = (uint8_t)(src[1] + DIV255(dst[1] * inv));
        dst[2] = (uint8_t)(src[2] + DIV255(dst[2] * inv));
        dst[3] = (uint8_t)(src[3] + DIV255(dst[3] * inv));
        src += 4;
        dst += 4;
    }
}

/* float RGBA planes: colour *= alpha */
void premultiply_planes(float *r, float *g, float *b, const float *a, int npix)
{
    while (npix-- > 0) {
        *r++ *= *a;
        *g++ *= *a;
        *b++ *= *a;
        a++;
    }
}

int main(void)
{
    const int n = WIDTH * HEIGHT;
    uint8_t *s = malloc(4 * n), *d = malloc(4 * n);
    float *f = malloc(4 * n * sizeof(float));
    if (!s || !d || !f) return 1;
    for (int i = 0; i < n; i++) {
        uint8_t al = (uint8_t)(i * 3);
        for (int k = 0; k < 3; k++) s[4 * i + k] = (uint8_t)(al / (k + 1));
        s[4 * i + 3] = al;
        for (int k = 0; k < 4; k++) d[4 * i + k] = (uint8_t)(i + 40 * k) / 2;
    }
    for (int i = 0; i < 4 * n; i++) f[i] = (i % 256) / 255.0f;
    over_premultiplied(d, s, WIDTH * HEIGHT);
    premultiply_planes(f, f + n, f + 2 * n, f + 3 * n, WIDTH * HEIGHT);
    printf("%d %d %f\n", d[5], d[4 * n - 1], f[77]);
    free(s); free(d); free(f);
    return 0;
}
