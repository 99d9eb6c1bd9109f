/* Column statistics of a protein alignment (rows: sequences, columns: sites). Residues are 0..19, 20 is a gap. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEQS = 200, COLS = 1500, AA = 21 };

static unsigned char aln[SEQS][COLS];
static float entropy[COLS];
static float ident[SEQS][SEQS];

static void column_entropy(void)
{
    #pragma omp parallel for schedule(static)
    for (int c = 0; c < COLS; ++c) {
        int cnt[AA] = { 0 };
        float h = 0.f;
        for (int s = 0; s < SEQS; ++s)
            cnt[aln[s][c]]++;
        for (int a = 0; a < AA; ++a) {
            if (cnt[a] == 0)
                continue;
            float p = cnt[a] / (float)SEQS;
            h -= p * logf(p);
        }
        entropy[c] = h;
    }
}

static void pair_identity(void)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < SEQS; ++i)
        for (int j = 0; j < SEQS; ++j) {
            const unsigned char *a = aln[i], *b = aln[j];
            int same = 0;
            for (int c = 0; c < COLS; ++c)
                same += (a[c] == b[c]);
            ident[i][j] = same / (float)COLS;
        }
}

int main(void)
{
    for (int s = 0; s < SEQS; ++s)
        for (int c = 0; c < COLS; ++c)
            aln[s][c] = rand() % AA;
    column_entropy();
    pair_identity();
    printf("%f %f\n", entropy[3], ident[4][5]);
    return 0;
}
