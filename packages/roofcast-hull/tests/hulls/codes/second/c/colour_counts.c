/* How often each level of each colour occurs. */
#include <stdint.h>
#include <string.h>

enum { WIDTH = 1920, HEIGHT = 1080 };

void colour_counts(const uint8_t *pixels, unsigned counts[3][256])
{
    memset(counts, 0, 3 * 256 * sizeof(unsigned));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) counts[c][pixels[(y * WIDTH + x) * 3 + c]]++;
}
