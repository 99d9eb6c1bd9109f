/* Land cover of two years: curve numbers, table of changes, length of edges. */
#include <stdint.h>
#include <stdio.h>

#define NROWS 700
#define NCOLS 900
#define NCELL (NROWS * NCOLS)
#define AT(r, c) ((r) * NCOLS + (c))

static uint8_t lc1990[NCELL], lc2020[NCELL];
static float curve_number[NCELL];
static float lut[256];
static uint32_t change[16 * 16];

static void reclass(const uint8_t *code, const float *table, float *out)
{
    const uint8_t *const end = code + NCELL;
    while (code != end)
        *out++ = table[*code++];
}

static void cross_tabulate(const uint8_t *before, const uint8_t *after, uint32_t *tab)
{
    for (int i = 0; i < 256; i++)
        tab[i] = 0;
    for (int i = 0; i < NCELL; i++)
        tab[before[i] * 16 + after[i]]++;
}

static long edge_length(const uint8_t *code)
{
    long edges = 0;
#pragma omp parallel for collapse(2) reduction(+ : edges)
    for (int r = 0; r < NROWS - 1; r++)
        for (int c = 0; c < NCOLS - 1; c++) {
            edges += code[AT(r, c)] != code[AT(r, c + 1)];
            edges += code[AT(r, c)] != code[AT(r + 1, c)];
        }
    return edges;
}

int main(void)
{
    for (int i = 0; i < NCELL; i++) {
        lc1990[i] = (uint8_t)((i / 37) % 16);
        lc2020[i] = (uint8_t)((i / 41 + i / 9000) % 16);
    }
    for (int k = 0; k < 256; k++)
        lut[k] = 30.0f + 0.25f * (float)k;
    reclass(lc2020, lut, curve_number);
    cross_tabulate(lc1990, lc2020, change);
    printf("%g %u %ld\n", curve_number[77], change[18], edge_length(lc2020));
    return 0;
}
