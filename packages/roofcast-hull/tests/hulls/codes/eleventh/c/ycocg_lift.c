/* Lossless colour: reversible YCoCg by lifting, then the LOCO-I predictor on a plane. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLS = 768, ROWS = 512 };

#define MIN2(a, b) ((a) < (b) ? (a) : (b))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

typedef struct {
    int16_t *y, *co, *cg;
} planes_t;

void lift_planes(const uint8_t *r, const uint8_t *g, const uint8_t *b,
                 int16_t *py, int16_t *pco, int16_t *pcg, long n)
{
    long i = 0;
    while (i < n) {
        int co = r[i] - b[i];
        int t = b[i] + (co >> 1);
        int cg = g[i] - t;
        pco[i] = (int16_t)co;
        pcg[i] = (int16_t)cg;
        py[i] = (int16_t)(t + (cg >> 1));
        ++i;
    }
}

static inline int predict(int left, int up, int corner)
{
    int hi = MAX2(left, up);
    int lo = MIN2(left, up);
    if (corner >= hi)
        return lo;
    if (corner <= lo)
        return hi;
    return left + up - corner;
}

void med_residual(const int16_t *plane, int16_t *res)
{
    for (int j = 1; j < ROWS; j++) {
        const int16_t *cur = plane + j * COLS;
        const int16_t *above = cur - COLS;
        int16_t *out = res + j * COLS;
        for (int i = 1; i < COLS; i++)
            out[i] = (int16_t)(cur[i] - predict(cur[i - 1], above[i], above[i - 1]));
    }
}

int main(void)
{
    const long n = (long)ROWS * COLS;
    uint8_t *rgb[3];
    planes_t p;
    for (int c = 0; c < 3; c++) {
        rgb[c] = malloc(n);
        for (long i = 0; i < n; i++)
            rgb[c][i] = (uint8_t)(rand() >> 7);
    }
    p.y = malloc(n * sizeof(int16_t));
    p.co = malloc(n * sizeof(int16_t));
    p.cg = malloc(n * sizeof(int16_t));
    int16_t *res = calloc(n, sizeof(int16_t));

    lift_planes(rgb[0], rgb[1], rgb[2], p.y, p.co, p.cg, n);
    med_residual(p.y, res);
    printf("%d\n", res[COLS + 1]);
    return 0;
}
