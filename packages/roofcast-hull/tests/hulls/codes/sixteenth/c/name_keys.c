/* A column of blank-padded names: folding of case, keys, lengths. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 65536, WIDTH = 24 };

static char names[ROWS][WIDTH];
static uint32_t keys[ROWS];
static uint8_t lens[ROWS];

static void fold_case(char *p, size_t n)
{
    for (char *end = p + n; p != end; ++p) {
        unsigned c = (unsigned char)*p;
        *p = (char)(c - ((c - 97u < 26u) << 5));
    }
}

static void fnv1a_column(char (*col)[WIDTH], uint32_t *key)
{
    for (int r = 0; r < ROWS; ++r) {
        uint32_t h = 2166136261u;
        for (const char *p = col[r], *e = p + WIDTH; p < e; ++p) {
            h ^= (uint8_t)*p;
            h *= 16777619u;
        }
        key[r] = h;
    }
}

static void trimmed_lengths(char (*col)[WIDTH], uint8_t *len)
{
    for (int r = 0; r < ROWS; ++r) {
        int n = WIDTH;
        while (n > 0 && col[r][n - 1] == ' ')
            --n;
        len[r] = (uint8_t)n;
    }
}

int main(void)
{
    memset(names, ' ', sizeof names);
    for (int r = 0; r < ROWS; ++r)
        for (int k = 0; k < 3 + r % 19; ++k)
            names[r][k] = (char)('a' + (r * 31 + k * 7) % 26);
    fold_case(&names[0][0], (size_t)ROWS * WIDTH);
    fnv1a_column(names, keys);
    trimmed_lengths(names, lens);
    printf("%.8s %u %d\n", names[5], keys[5], lens[5]);
    return 0;
}
