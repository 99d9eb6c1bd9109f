/* Inference of a toy digit reader in fixed arrays: convolution, pooling, dense. */
#include <math.h>
#include <stdio.h>

#define CIN 4
#define COUT 12
#define S 64
#define P (S - 4)
#define H (P / 2)
#define CLASSES 10

static float img[CIN][S][S], w[COUT][CIN][5][5], bias[COUT];
static float map[COUT][P][P], pooled[COUT][H][H];
static float fc[CLASSES][COUT * H * H], logit[CLASSES];

static void conv5(void)
{
    for (int o = 0; o < COUT; o++)
        for (int y = 0; y < P; y++)
            for (int x = 0; x < P; x++) {
                float a = bias[o];
                for (int c = 0; c < CIN; c++)
                    for (int dy = 0; dy < 5; dy++)
                        for (int dx = 0; dx < 5; dx++)
                            a += w[o][c][dy][dx] * img[c][y + dy][x + dx];
                map[o][y][x] = a > 0 ? a : 0.1f * a;
            }
}

static void halve(void)
{
    for (int o = 0; o < COUT; o++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < H; x++) {
                float a = fmaxf(map[o][2 * y][2 * x], map[o][2 * y][2 * x + 1]);
                float b = fmaxf(map[o][2 * y + 1][2 * x], map[o][2 * y + 1][2 * x + 1]);
                pooled[o][y][x] = fmaxf(a, b);
            }
}

static void dense(void)
{
    const float *flat = &pooled[0][0][0];
    for (int k = 0; k < CLASSES; k++) {
        float s = 0.0f;
        for (int i = 0; i < COUT * H * H; i++)
            s += fc[k][i] * flat[i];
        logit[k] = s;
    }
}

int main(void)
{
    for (int c = 0; c < CIN; c++)
        for (int i = 0; i < S * S; i++) img[c][i / S][i % S] = (i % 29) / 29.0f;
    for (int o = 0; o < COUT; o++)
        for (int i = 0; i < CIN * 25; i++) w[o][i / 25][i / 5 % 5][i % 5] = (i % 3 - 1) * 0.1f;
    for (int k = 0; k < CLASSES; k++)
        for (int i = 0; i < COUT * H * H; i++) fc[k][i] = ((i + k) % 5 - 2) * 1e-2f;
    conv5();
    halve();
    dense();
    printf("%f %f\n", logit[0], logit[9]);
    return 0;
}
