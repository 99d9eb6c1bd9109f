/* Block-sparse-row matrix (4x4 blocks, 6 blocks in every block row) times a vector, and a
 * SELL-like variant of the diagonal extraction. Self-counted at full size. */
#include <stdio.h>
#include <stdlib.h>

#define BROWS 8000
#define BPR 6
#define BS 4
#define NROWS (BROWS * BS)

typedef struct {
    int *col;    /* BROWS*BPR block columns */
    double *val; /* BROWS*BPR*BS*BS, row-major blocks */
} bsr_t;

static void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) { fprintf(stderr, "malloc of %zu failed\n", n); abort(); }
    return p;
}

void bsr_mv(const bsr_t *A, const double *restrict x, double *restrict y)
{
#pragma omp parallel for schedule(static)
    for (int br = 0; br < BROWS; br++) {
        double acc[BS] = { 0.0, 0.0, 0.0, 0.0 };
        for (int k = br * BPR; k < (br + 1) * BPR; k++) {
            const double *blk = A->val + (size_t)k * BS * BS;
            const double *xb = x + A->col[k] * BS;
            for (int r = 0; r < BS; r++)
                for (int c = 0; c < BS; c++)
                    acc[r] += blk[r * BS + c] * xb[c];
        }
        for (int r = 0; r < BS; r++)
            y[br * BS + r] = acc[r];
    }
}

/* inverse of the row sums of absolute values: a scaling vector */
void row_scaling(const bsr_t *A, double *d)
{
    for (int br = 0; br < BROWS; br++)
        for (int r = 0; r < BS; r++) {
            double s = 0.0;
            for (int k = 0; k < BPR; k++)
                for (int c = 0; c < BS; c++) {
                    double v = A->val[((size_t)(br * BPR + k) * BS + r) * BS + c];
                    s += v < 0.0 ? -v : v;
                }
            d[br * BS + r] = 1.0 / s;
        }
}

int main(void)
{
    bsr_t A;
    A.col = xmalloc(sizeof(int) * BROWS * BPR);
    A.val = xmalloc(sizeof(double) * BROWS * BPR * BS * BS);
    double *x = xmalloc(sizeof(double) * NROWS), *y = xmalloc(sizeof(double) * NROWS);
    for (int b = 0; b < BROWS; b++)
        for (int k = 0; k < BPR; k++)
            A.col[b * BPR + k] = (b + k * k * 31) % BROWS;
    for (int i = 0; i < BROWS * BPR * BS * BS; i++)
        A.val[i] = 0.5 + (i % 13) * 0.1;
    for (int i = 0; i < NROWS; i++)
        x[i] = 1.0 / (1 + i % 10);
    bsr_mv(&A, x, y);
    double y5 = y[5];
    row_scaling(&A, y);
    printf("%g %g\n", y5, y[5]);
    free(A.col); free(A.val); free(x); free(y);
    return 0;
}
