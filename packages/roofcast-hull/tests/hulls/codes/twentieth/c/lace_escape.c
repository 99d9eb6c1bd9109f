#include <complex.h>
#include <stdint.h>
#include <stdio.h>

/* Burning-ship plate for a laser cutter: escape counts, then engraving depth. */
enum { W = 400, H = 300, LIMIT = 200 };

static uint16_t count[H][W];
static uint8_t depth[H][W];

static void ship(double cx, double cy, double span)
{
    #pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double a = 0, b = 0;
            double u = cx + (x - W / 2) * span / W, v = cy + (y - H / 2) * span / W;
            int n = 0;
            while (n < LIMIT && a * a + b * b < 4.0) {
                double t = a * a - b * b + u;
                double ab = a * b;
                b = 2 * (ab < 0 ? -ab : ab) + v;
                a = t;
                n++;
            }
            count[y][x] = n;
        }
}

static void engrave(void)
{
    uint16_t *c = &count[0][0];
    uint8_t *d = &depth[0][0];
    for (int left = W * H; left--; c++, d++)
        *d = *c >= LIMIT ? 255 : (uint8_t)(*c * 5 & 0xff);
}

static int edges(void)
{
    int n = 0;
    for (int y = 0; y < H; y++)
        for (int x = 1; x < W; x++)
            n += (depth[y][x] ^ depth[y][x - 1]) >> 7;
    return n;
}

int main(void)
{
    ship(-0.5, -0.5, 3.0);
    engrave();
    printf("%d\n", edges());
    return 0;
}
