/* Kernels of a keyword spotter on a microcontroller: int8 in and out, 32-bit sums. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define IN_H 48
#define IN_W 48
#define CH 32
#define OUT_H (IN_H - 2)
#define OUT_W (IN_W - 2)
#define FC_IN 1024
#define FC_OUT 64

static int8_t image[IN_H * IN_W * CH];
static int8_t taps[3 * 3 * CH];
static int32_t bias[CH], multiplier[CH];
static int8_t feature[OUT_H * OUT_W * CH];
static int8_t fc_w[FC_OUT][FC_IN];
static int32_t fc_bias[FC_OUT], logits[FC_OUT];

void depthwise_s8(int32_t in_offset, int32_t out_offset)
{
    for (int y = 0; y < OUT_H; y++)
        for (int x = 0; x < OUT_W; x++)
            for (int c = 0; c < CH; c++) {
                int32_t acc = bias[c];
                for (int ky = 0; ky < 3; ky++)
                    for (int kx = 0; kx < 3; kx++) {
                        int32_t v = image[((y + ky) * IN_W + (x + kx)) * CH + c];
                        acc += (v + in_offset) * taps[(ky * 3 + kx) * CH + c];
                    }
                int64_t wide = (int64_t)acc * multiplier[c];
                int32_t q = (int32_t)((wide + (1LL << 30)) >> 31);
                q += out_offset;
                q = q < -128 ? -128 : q;
                q = q > 127 ? 127 : q;
                feature[(y * OUT_W + x) * CH + c] = (int8_t)q;
            }
}

void fully_connected_s8(const int8_t *in, int32_t in_offset)
{
    const int8_t *w = &fc_w[0][0];
    for (int o = 0; o < FC_OUT; o++) {
        int32_t acc = fc_bias[o];
        const int8_t *p = in;
        for (int n = FC_IN; n > 0; n--)
            acc += (*p++ + in_offset) * *w++;
        logits[o] = acc;
    }
}

int main(void)
{
    for (int i = 0; i < IN_H * IN_W * CH; i++) image[i] = (int8_t)(i * 37 % 251 - 125);
    for (int i = 0; i < 9 * CH; i++) taps[i] = (int8_t)(i * 11 % 120 - 60);
    for (int c = 0; c < CH; c++) { bias[c] = c * 50; multiplier[c] = 30000000 + 1000 * c; }
    for (int o = 0; o < FC_OUT; o++)
        for (int i = 0; i < FC_IN; i++) fc_w[o][i] = (int8_t)((o + i * 3) % 90 - 45);
    depthwise_s8(12, -3);
    fully_connected_s8(feature, 3);
    printf("%d %d\n", feature[777], logits[9]);
    return 0;
}
