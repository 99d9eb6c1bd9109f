/* Microscaling FP4: 32 weights share a power of two; product of such a matrix with a vector. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1024
#define COLS 2048
#define GROUP 32
#define NGROUP (COLS / GROUP)

static const float e2m1[16] = {
    0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
    -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f,
};

static float weight[ROWS][COLS];
static int16_t expo[ROWS][NGROUP];
static uint8_t packed[ROWS][COLS / 2];
static float x[COLS], y[ROWS];

void group_exponents(const float *w, int16_t *e)
{
    for (int g = 0; g < ROWS * NGROUP; ++g) {
        const float *p = w + (long)g * GROUP;
        float m = 0.0f;
        for (int i = 0; i < GROUP; ++i) {
            float a = fabsf(p[i]);
            m = fmaxf(m, a);
        }
        e[g] = (int16_t)floorf(log2f(m / 6.0f));
    }
}

static float group_dot(const uint8_t *q, const float *v)
{
    float s = 0.0f;
    for (int i = 0; i < GROUP / 2; ++i) {
        s += e2m1[q[i] & 0x0f] * v[2 * i];
        s += e2m1[q[i] >> 4] * v[2 * i + 1];
    }
    return s;
}

void mxfp4_gemv(void)
{
    for (int r = 0; r < ROWS; ++r) {
        float acc = 0.0f;
        for (int g = 0; g < NGROUP; ++g)
            acc += exp2f((float)expo[r][g]) * group_dot(&packed[r][g * GROUP / 2], &x[g * GROUP]);
        y[r] = acc;
    }
}

int main(void)
{
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLS; ++c) {
            weight[r][c] = (rand() % 2001 - 1000) * 1e-3f;
            packed[r][c / 2] = (uint8_t)rand();
        }
    for (int c = 0; c < COLS; ++c)
        x[c] = (c % 17) * 0.1f;
    group_exponents(&weight[0][0], &expo[0][0]);
    mxfp4_gemv();
    printf("%g\n", y[5]);
    return 0;
}
