/* Keyword spotting on integers: depthwise filter over time, table activation, dense layer. */
#include <stdint.h>
#include <stdio.h>

#define BATCH 64
#define T_IN 104
#define T_OUT 100
#define CH 64
#define TAPS 5
#define FEAT 1600
#define UNITS 144

static int8_t audio[BATCH][T_IN][CH], taps[TAPS][CH], conv[BATCH][T_OUT][CH], act[BATCH][T_OUT][CH];
static int8_t table[256];
static int8_t feat[BATCH][FEAT], weights[UNITS][FEAT], logits[BATCH][UNITS];
static int32_t bias[UNITS];

static inline int32_t sat8(int32_t v)
{
    if (v > 127) v = 127;
    if (v < -128) v = -128;
    return v;
}

void depthwise_time(void)
{
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < T_OUT; t++)
            for (int c = 0; c < CH; c++) {
                int32_t acc = 0;
                for (int k = 0; k < TAPS; k++)
                    acc += audio[b][t + k][c] * taps[k][c];
                conv[b][t][c] = (int8_t)sat8((acc + 64) >> 7);
            }
}

void activate(void)
{
    const int8_t *in = &conv[0][0][0];
    int8_t *out = &act[0][0][0];
    for (int i = 0; i < BATCH * T_OUT * CH; i++)
        out[i] = table[in[i] + 128];
}

void dense(int32_t zero, int32_t mult, int shift)
{
    for (int b = 0; b < BATCH; b++) {
        for (int u = 0; u < UNITS; u++) {
            const int8_t *x = feat[b], *w = weights[u];
            int32_t acc = bias[u];
            for (int n = FEAT; n > 0; n--)
                acc += (*x++ - zero) * *w++;
            int64_t scaled = (int64_t)acc * mult;
            int32_t v = (int32_t)((scaled + (1ll << (shift - 1))) >> shift);
            logits[b][u] = (int8_t)sat8(v + 3);
        }
    }
}

int main(void)
{
    for (int i = 0; i < 256; i++)
        table[i] = (int8_t)(i < 128 ? (i - 128) / 8 : i - 128);
    for (int b = 0; b < BATCH; b++)
        for (int t = 0; t < T_IN; t++)
            for (int c = 0; c < CH; c++)
                audio[b][t][c] = (int8_t)((b * 7 + t * 3 + c) % 201 - 100);
    for (int k = 0; k < TAPS; k++)
        for (int c = 0; c < CH; c++)
            taps[k][c] = (int8_t)(20 * k - c / 2);
    depthwise_time();
    activate();
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < FEAT; i++)
            feat[b][i] = act[b][i / 16][(i % 16) * 4];
    for (int u = 0; u < UNITS; u++) {
        bias[u] = 10 * u;
        for (int i = 0; i < FEAT; i++)
            weights[u][i] = (int8_t)((u * i) % 13 - 6);
    }
    dense(-4, 1 << 14, 24);
    printf("%d %d\n", act[3][50][9], logits[2][100]);
    return 0;
}
