/* Voice front end of a small microcontroller: Q15 low-pass and block energies. */
#include <stdint.h>
#include <stdio.h>

#define NS   48000
#define TAPS 25
#define BLK  80

static int16_t pcm[NS + TAPS - 1];
static int16_t lowpass[NS];
static int32_t energy[NS / BLK];

static const int16_t h_lp[TAPS] = {
    -12, -31, -40, 0, 118, 270, 310, 0, -640, -1210, -900, 1480, 9300,
    1480, -900, -1210, -640, 0, 310, 270, 118, 0, -40, -31, -12
};

static inline int32_t ssat16(int32_t v)
{
    if (v > 32767)
        v = 32767;
    if (v < -32768)
        v = -32768;
    return v;
}

static void fir_q15(const int16_t *restrict x, int16_t *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        int32_t acc = 1 << 14;              /* half of an LSB */
        const int16_t *ps = x + i;
        const int16_t *pc = h_lp;
        for (int k = 0; k < TAPS; k++)
            acc += (int32_t)*ps++ * *pc++;
        y[i] = (int16_t)ssat16(acc >> 15);
    }
}

static void block_energy(const int16_t *s, int32_t *e)
{
    int32_t *const stop = e + NS / BLK;
    while (e < stop) {
        int32_t sum = 0;
        for (int k = 0; k < BLK; k++, s++)
            sum += ((int32_t)*s * *s) >> 6;
        *e++ = sum;
    }
}

int main(void)
{
    for (int i = 0; i < NS + TAPS - 1; i++)
        pcm[i] = (int16_t)((i * 7919) % 20011 - 10005);
    fir_q15(pcm, lowpass, NS);
    block_energy(lowpass, energy);
    printf("%d %d\n", lowpass[100], (int)energy[3]);
    return 0;
}
