#include <stdint.h>
#define PIXELS (1280 * 720)

typedef struct {
    uint8_t r, g, b;
} rgb_t;

void to_grey(const rgb_t *src, uint8_t *dst)
{
    for (int i = 0; i < PIXELS; i++)
        dst[i] = (uint8_t)((src[i].r * 299 + src[i].g * 587 + src[i].b * 114) / 1000);
}

void invert(rgb_t *img)
{
    int n = PIXELS;
    while (n--) {
        img->r = 255 - img->r;
        img->g = 255 - img->g;
        img->b = 255 - img->b;
        img++;
    }
}

void blend(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict alpha, uint8_t *restrict out)
{
#pragma omp simd
    for (int i = 0; i < PIXELS; i++)
        out[i] = (uint8_t)((a[i] * alpha[i] + b[i] * (255 - alpha[i])) / 255);
}
