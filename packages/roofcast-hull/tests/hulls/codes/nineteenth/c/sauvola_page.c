/* binarise a scanned page, Sauvola's threshold, window clipped away at the rim */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define W 500
#define H 400
#define R 7
#define OW (W - 2 * R)
#define OH (H - 2 * R)
#define AREA ((2 * R + 1) * (2 * R + 1))

void binarise(const unsigned char *in, unsigned char *out, float k)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < OH; y++)
        for (int x = 0; x < OW; x++) {
            float s = 0, q = 0;
            for (int dy = 0; dy <= 2 * R; dy++) {
                const unsigned char *p = in + (y + dy) * W + x;
                for (int dx = 0; dx <= 2 * R; dx++) {
                    float v = p[dx];
                    s += v;
                    q += v * v;
                }
            }
            float m = s / AREA;
            float sd = sqrtf(q / AREA - m * m);
            float t = m * (1 + k * (sd / 128 - 1));
            out[y * OW + x] = in[(y + R) * W + x + R] > t ? 255 : 0;
        }
}

/* black pixels in each line of text, to find the gaps */
void line_profile(const unsigned char *bin, int *ink)
{
    for (int y = 0; y < OH; y++) {
        int n = 0;
        for (int x = 0; x < OW; x++)
            n += !bin[y * OW + x];
        ink[y] = n;
    }
}

int main(void)
{
    unsigned char *page = malloc(W * H), *bin = malloc(OW * OH);
    int ink[OH];
    for (int i = 0; i < W * H; i++)
        page[i] = (i / W / 12) % 2 && i % 5 ? 30 + i % 17 : 200 + i % 31;
    binarise(page, bin, 0.34f);
    line_profile(bin, ink);
    printf("%d %d\n", ink[20], ink[30]);
    free(page);
    free(bin);
    return 0;
}
