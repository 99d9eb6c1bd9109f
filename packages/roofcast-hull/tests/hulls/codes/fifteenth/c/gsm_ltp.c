/* long-term predictor of a GSM-like speech coder, for subframes already collected with their history */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUB = 2000, LEN = 40, HIST = 120, LAG_MIN = 40, LAG_MAX = 120 };

static void ltp_search(const int16_t *d, const int16_t *hist, int16_t *lag, int32_t *peak)
{
    for (int s = 0; s < SUB; s++) {
        const int16_t *cur = d + s * LEN;
        const int16_t *past = hist + s * HIST;
        int32_t best = 0;
        int16_t where = LAG_MIN;
        for (int l = LAG_MIN; l <= LAG_MAX; l++) {
            int32_t acc = 0;
            for (int k = 0; k < LEN; k++)
                acc += cur[k] * past[HIST - l + k];
            if (acc > best) {
                best = acc;
                where = (int16_t)l;
            }
        }
        lag[s] = where;
        peak[s] = best;
    }
}

static void ltp_residual(const int16_t *d, const int16_t *hist, const int16_t *lag, const int16_t *gain, int16_t *e)
{
    for (int s = 0; s < SUB; s++)
        for (int k = 0; k < LEN; k++)
            e[s * LEN + k] = d[s * LEN + k] - ((gain[s] * hist[s * HIST + HIST - lag[s] + k]) >> 6);
}

int main(void)
{
    int16_t *d = malloc(SUB * LEN * sizeof *d), *h = malloc(SUB * HIST * sizeof *h), *e = malloc(SUB * LEN * sizeof *e);
    int16_t *lag = malloc(SUB * sizeof *lag), *gain = malloc(SUB * sizeof *gain);
    int32_t *peak = malloc(SUB * sizeof *peak);
    for (int i = 0; i < SUB * LEN; i++) d[i] = rand() % 4096 - 2048;
    for (int i = 0; i < SUB * HIST; i++) h[i] = rand() % 4096 - 2048;
    for (int i = 0; i < SUB; i++) gain[i] = rand() % 64;
    ltp_search(d, h, lag, peak);
    ltp_residual(d, h, lag, gain, e);
    printf("%d %d %d\n", lag[5], peak[5], e[77]);
    free(d); free(h); free(e); free(lag); free(gain); free(peak);
    return 0;
}
