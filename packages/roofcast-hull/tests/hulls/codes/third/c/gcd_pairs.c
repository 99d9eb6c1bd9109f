#include <stdlib.h>

void gcd_pairs(const unsigned *a, const unsigned *b, unsigned *g, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned x = a[i], y = b[i];
        while (y) {
            unsigned r = x % y;
            x = y;
            y = r;
        }
        g[i] = x;
    }
}

int main(void)
{
    int n = 100000;
    unsigned *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *g = malloc(n * sizeof *g);
    gcd_pairs(a, b, g, n);
    return 0;
}
