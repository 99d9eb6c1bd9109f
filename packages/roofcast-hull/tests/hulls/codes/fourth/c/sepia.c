#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  640
#define HEIGHT 427

void sepia(const uint8_t *src, uint8_t *dst, int pixels)
{
    for (int p = 0; p < pixels; p++) {
        int r = src[3 * p], g = src[3 * p + 1], b = src[3 * p + 2];
        int red   = (402 * r + 787 * g + 194 * b) >> 10;
        int green = (357 * r + 702 * g + 172 * b) >> 10;
        int blue  = (279 * r + 547 * g + 134 * b) >> 10;
        dst[3 * p]     = (uint8_t)(red > 255 ? 255 : red);
        dst[3 * p + 1] = (uint8_t)(green > 255 ? 255 : green);
        dst[3 * p + 2] = (uint8_t)(blue > 255 ? 255 : blue);
    }
}

int main(void)
{
    uint8_t *in = malloc(WIDTH * HEIGHT * 3);
    uint8_t *out = malloc(WIDTH * HEIGHT * 3);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        in[i] = (uint8_t)(i * 7);
    sepia(in, out, WIDTH * HEIGHT);
    printf("%d %d %d\n", out[0], out[1], out[2]);
    free(in);
    free(out);
    return 0;
}
