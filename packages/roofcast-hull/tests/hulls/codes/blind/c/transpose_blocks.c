#define ROWS 2000
#define COLS 3000
#define B 64

static inline int min(int a, int b) { return a < b ? a : b; }

void transpose(const float *restrict in, float *restrict out)
{
#pragma omp parallel for collapse(2)
    for (int rb = 0; rb < ROWS; rb += B)
        for (int cb = 0; cb < COLS; cb += B)
            for (int r = rb; r < min(rb + B, ROWS); r++)
                for (int c = cb; c < min(cb + B, COLS); c++)
                    out[c * ROWS + r] = in[r * COLS + c];
}
