/* IMA ADPCM encoder (one channel) and the mixing-down of the input before it.
 * mix_stereo by hand: shift and add on the samples. The encoder's state runs from sample to sample. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NSAMPLES 48000

static const int step_table[89] = {
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
    107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
    876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871,
    5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623,
    27086, 29794, 32767
};
static const int index_table[16] = { -1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8 };

struct stereo { int16_t l, r; };

void mix_stereo(int16_t *restrict mono, const struct stereo *restrict in, int n)
{
    for (int i = 0; i < n; i++)
        mono[i] = (int16_t)((in[i].l + in[i].r) >> 1);
}

void adpcm_encode(uint8_t *out, const int16_t *in, int n)
{
    int predicted = 0, index = 0;
    uint8_t pending = 0;
    for (int i = 0; i < n; i++) {
        int step = step_table[index];
        int diff = in[i] - predicted;
        int code = 0;
        if (diff < 0) {
            code = 8;
            diff = -diff;
        }
        int delta = step >> 3;
        if (diff >= step) { code |= 4; diff -= step; delta += step; }
        step >>= 1;
        if (diff >= step) { code |= 2; diff -= step; delta += step; }
        step >>= 1;
        if (diff >= step) { code |= 1; delta += step; }
        predicted += (code & 8) ? -delta : delta;
        if (predicted > 32767) predicted = 32767;
        if (predicted < -32768) predicted = -32768;
        index += index_table[code];
        if (index < 0) index = 0;
        if (index > 88) index = 88;
        if (i & 1)
            out[i >> 1] = pending | (uint8_t)(code << 4);
        else
            pending = (uint8_t)code;
    }
}

int main(void)
{
    struct stereo *in = malloc(sizeof(struct stereo) * NSAMPLES);
    int16_t *mono = malloc(sizeof(int16_t) * NSAMPLES);
    uint8_t *out = malloc(NSAMPLES / 2);
    if (!in || !mono || !out) return 1;
    for (int i = 0; i < NSAMPLES; i++) {
        in[i].l = (int16_t)((i * 97) % 20000 - 10000);
        in[i].r = (int16_t)((i * 31) % 8000 - 4000);
    }
    mix_stereo(mono, in, NSAMPLES);
    adpcm_encode(out, mono, NSAMPLES);
    unsigned h = 0;
    for (int i = 0; i < NSAMPLES / 2; i++) h = h * 31 + out[i];
    printf("%08x\n", h);
    free(in); free(mono); free(out);
    return 0;
}
