#include <stdio.h>
#include <stdlib.h>

#define PAIRS 40000

struct gear { unsigned driver, driven; };

/* brings all tooth counts to lowest terms */
void reduce_ratios(struct gear *g)
{
    for (int i = 0; i < PAIRS; i++) {
        unsigned a = g[i].driver, b = g[i].driven;
        while (b) {
            unsigned t = a % b;
            a = b;
            b = t;
        }
        g[i].driver /= a;
        g[i].driven /= a;
    }
}

int main(void)
{
    struct gear *g = malloc(PAIRS * sizeof *g);
    for (int i = 0; i < PAIRS; i++) {
        g[i].driver = 12 + rand() % 200;
        g[i].driven = 12 + rand() % 200;
    }
    reduce_ratios(g);
    printf("%u:%u\n", g[99].driver, g[99].driven);
    free(g);
    return 0;
}
