#include <stdint.h>
#include <stdlib.h>

/* 24 bit RGB -> 16 bit RGB565 for a small display */
void pack565(const uint8_t *rgb, uint16_t *out, int npixels)
{
    int i;
    for (i = 0; i < npixels; i++) {
        uint8_t r = rgb[3 * i];
        uint8_t g = rgb[3 * i + 1];
        uint8_t b = rgb[3 * i + 2];
        out[i] = (uint16_t)(((r >> 3) << 11) | ((g >> 2) << 5) | (b >> 3));
    }
}

int main(void)
{
    int n = 800 * 480;
    uint8_t *rgb = malloc(3 * n);
    uint16_t *out = malloc(n * sizeof(uint16_t));
    pack565(rgb, out, n);
    free(rgb);
    free(out);
    return 0;
}
