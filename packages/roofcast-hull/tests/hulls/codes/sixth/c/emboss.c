/* emboss - 3x3 relief filter on an 8 bit picture, border pixels left alone.
 * Checked: compiles, runs; operations by hand (9 multiply-adds and two comparisons). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  451
#define HEIGHT 307

static const int relief[3][3] = {
    { -2, -1, 0 },
    { -1,  1, 1 },
    {  0,  1, 2 }
};

void emboss(const uint8_t *src, uint8_t *dst, int w, int h)
{
    for (int y = 1; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += relief[dy + 1][dx + 1] * src[(y + dy) * w + (x + dx)];
            if (sum < 0) sum = 0;
            if (sum > 255) sum = 255;
            dst[y * w + x] = (uint8_t)sum;
        }
    }
}

int main(int argc, char **argv)
{
    uint8_t *in = malloc(WIDTH * HEIGHT);
    uint8_t *out = calloc(WIDTH * HEIGHT, 1);
    if (!in || !out) { perror("malloc"); return EXIT_FAILURE; }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            in[y * WIDTH + x] = (uint8_t)(((x / 16) ^ (y / 16)) & 1 ? 200 : 60 + (x + y) % 40);
    emboss(in, out, WIDTH, HEIGHT);
    if (argc > 1) {
        FILE *f = fopen(argv[1], "wb");
        if (f) {
            fprintf(f, "P5\n%d %d\n255\n", WIDTH, HEIGHT);
            fwrite(out, 1, WIDTH * HEIGHT, f);
            fclose(f);
        }
    }
    unsigned long total = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) total += out[i];
    printf("mean grey %.3f\n", (double)total / (WIDTH * HEIGHT));
    free(in); free(out);
    return 0;
}
