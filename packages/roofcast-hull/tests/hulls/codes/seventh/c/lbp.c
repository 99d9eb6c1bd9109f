// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
/* Local binary patterns, 8 neighbours, of a VGA grey image; the frame of one pixel has no code.
   By hand: 8 comparisons, 7 shifts, 7 ors = 22 a pixel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 640, HEIGHT = 480 };

void lbp_codes(const uint8_t *img, uint8_t *code)
{
    for (int y = 1; y < HEIGHT - 1; ++y) {
        const uint8_t *up = img + (y - 1) * WIDTH;
        const uint8_t *mid = img + y * WIDTH;
        const uint8_t *down = img + (y + 1) * WIDTH;
        for (int x = 1; x < WIDTH - 1; ++x) {
            const uint8_t c = mid[x];
            code[(y - 1) * (WIDTH - 2) + (x - 1)] = (uint8_t)(
                ((up[x - 1] >= c) << 7) | ((up[x] >= c) << 6) | ((up[x + 1] >= c) << 5) |
                ((mid[x + 1] >= c) << 4) | ((down[x + 1] >= c) << 3) | ((down[x] >= c) << 2) |
                ((down[x - 1] >= c) << 1) | (mid[x - 1] >= c));
        }
    }
}

int main(void)
{
    uint8_t *img = malloc(WIDTH * HEIGHT);
    uint8_t *code = malloc((WIDTH - 2) * (HEIGHT - 2));
    for (int i = 0; i < WIDTH * HEIGHT; ++i) img[i] = (uint8_t)((i * 31 + i / 640 * 17) & 255);
    lbp_codes(img, code);
    unsigned hist[256] = {0};
    for (int i = 0; i < (WIDTH - 2) * (HEIGHT - 2); ++i) hist[code[i]]++;
    printf("uniform dark: %u\n", hist[0]);
    free(img);
    free(code);
    return 0;
}
