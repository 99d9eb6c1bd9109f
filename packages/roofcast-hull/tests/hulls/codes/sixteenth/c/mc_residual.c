/* Decoder of video: weighted prediction from two pictures, then residuals, kept block after block. */
#include <stdint.h>
#include <stdio.h>

enum { W = 704, H = 576, B = 8, BPR = W / B };
typedef uint8_t pel;

static pel ref0[H * W], ref1[H * W], pred[H * W], cur[H * W];
static int16_t coded[(H / B) * BPR * B * B];

static inline pel clip8(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (pel)v;
}

static void bipred(const pel *restrict a, const pel *restrict b, pel *restrict dst, int w0, int w1)
{
    for (int y = 0; y < H; y++, a += W, b += W, dst += W)
        for (int x = 0; x < W; x++)
            dst[x] = clip8((a[x] * w0 + b[x] * w1 + 32) >> 6);
}

static void reconstruct(const pel *p, const int16_t *res, pel *out)
{
    for (int by = 0; by < H / B; by++)
        for (int bx = 0; bx < BPR; bx++) {
            const int16_t *blk = res + (by * BPR + bx) * B * B;
            for (int y = 0; y < B; y++)
                for (int x = 0; x < B; x++) {
                    int at = (by * B + y) * W + bx * B + x;
                    out[at] = clip8(p[at] + blk[y * B + x]);
                }
        }
}

int main(void)
{
    for (int i = 0; i < H * W; i++) {
        ref0[i] = (pel)(i % 251);
        ref1[i] = (pel)(i % 241);
        coded[i] = (int16_t)(i % 61 - 30);
    }
    bipred(ref0, ref1, pred, 40, 24);
    reconstruct(pred, coded, cur);
    printf("%d\n", cur[12345]);
    return 0;
}
