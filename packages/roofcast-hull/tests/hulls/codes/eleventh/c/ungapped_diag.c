/* Protein search: the best ungapped segment on every diagonal of a query against a database. */
#include <stdio.h>
#include <stdlib.h>

#define QLEN 256
#define NDIAG 8192
#define TLEN (NDIAG + QLEN - 1)
#define ALPHA 24

static unsigned char query[QLEN], target[TLEN];
static signed char blosum[ALPHA][ALPHA];
static int best[NDIAG];
static int residues[ALPHA];

void best_segments(const unsigned char *q, const unsigned char *t, int *out)
{
    for (int d = 0; d < NDIAG; ++d) {
        int run = 0, top = 0;
        const unsigned char *p = t + d;
        for (int i = 0; i < QLEN; ++i) {
            run += blosum[q[i]][p[i]];
            if (run < 0)
                run = 0;
            if (run > top)
                top = run;
        }
        out[d] = top;
    }
}

void composition(const unsigned char *t, int n, int *freq)
{
    for (int a = 0; a < ALPHA; ++a)
        freq[a] = 0;
    const unsigned char *end = t + n;
    while (t != end)
        freq[*t++]++;
}

int main(void)
{
    for (int i = 0; i < QLEN; i++)
        query[i] = rand() % ALPHA;
    for (int i = 0; i < TLEN; i++)
        target[i] = rand() % ALPHA;
    for (int a = 0; a < ALPHA; a++)
        for (int b = 0; b < ALPHA; b++)
            blosum[a][b] = a == b ? 5 : -(abs(a - b) % 4);
    best_segments(query, target, best);
    composition(target, TLEN, residues);
    printf("%d %d\n", best[100], residues[3]);
    return 0;
}
