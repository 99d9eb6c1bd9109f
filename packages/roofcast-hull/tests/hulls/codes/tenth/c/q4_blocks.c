/* Block-quantised dot products in the manner of ggml: q4 weights (16 bytes + scale for 32 values)
 * against q8 activations. Operations by hand (integer work on data is not self-counting). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define QK 32
#define ROWS 1024
#define COLS 2048
#define NB (COLS / QK)

typedef struct { float d; uint8_t qs[QK / 2]; } block_q4;
typedef struct { float d; int8_t qs[QK]; } block_q8;

static float vec_dot_q4_q8(int nb, const block_q4 *restrict x, const block_q8 *restrict y)
{
    float sumf = 0.0f;
    for (int ib = 0; ib < nb; ++ib) {
        int sumi = 0;
        for (int j = 0; j < QK / 2; ++j) {
            const int v0 = (x[ib].qs[j] & 0x0F) - 8;
            const int v1 = (x[ib].qs[j] >> 4) - 8;
            sumi += v0 * y[ib].qs[j] + v1 * y[ib].qs[j + QK / 2];
        }
        sumf += sumi * x[ib].d * y[ib].d;
    }
    return sumf;
}

void gemv_q4(float *dst, const block_q4 *w, const block_q8 *x)
{
    for (int r = 0; r < ROWS; r++)
        dst[r] = vec_dot_q4_q8(NB, w + (size_t)r * NB, x);
}

/* quantise one activation vector of COLS floats */
void quantize_row_q8(const float *restrict x, block_q8 *restrict y)
{
    for (int i = 0; i < NB; i++) {
        float amax = 0.0f;
        for (int j = 0; j < QK; j++) {
            const float v = x[i * QK + j];
            amax = fmaxf(amax, fabsf(v));
        }
        const float d = amax / 127.0f;
        const float id = d != 0.0f ? 1.0f / d : 0.0f;
        y[i].d = d;
        for (int j = 0; j < QK; ++j) {
            const float x0 = x[i * QK + j] * id;
            y[i].qs[j] = (int8_t)roundf(x0);
        }
    }
}

int main(void)
{
    block_q4 *w = malloc(sizeof(block_q4) * ROWS * NB);
    block_q8 *xq = malloc(sizeof(block_q8) * NB);
    float *x = malloc(sizeof(float) * COLS), *y = malloc(sizeof(float) * ROWS);
    if (!w || !xq || !x || !y) return 1;
    for (int i = 0; i < COLS; i++) x[i] = 0.1f + (i % 19) * 0.05f;
    for (int i = 0; i < ROWS * NB; i++) {
        w[i].d = 0.01f * (1 + i % 3);
        for (int j = 0; j < QK / 2; j++) w[i].qs[j] = (uint8_t)(i * 31 + j * 7);
    }
    quantize_row_q8(x, xq);
    gemv_q4(y, w, xq);
    printf("%f %f\n", y[0], y[ROWS - 1]);
    free(w); free(xq); free(x); free(y);
    return 0;
}
