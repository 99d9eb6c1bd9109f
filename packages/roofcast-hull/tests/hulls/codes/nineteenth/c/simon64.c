/* counter mode with a toy Simon 64/128; round keys are made elsewhere */
#include <stdint.h>
#include <stdio.h>

#define NBLK   65536
#define ROUNDS 44
#define ROL(x, r) ((x) << (r) | (x) >> (32 - (r)))

struct blk { uint32_t hi, lo; };

static struct blk stream[NBLK], text[NBLK];
static uint32_t rk[ROUNDS];

void encrypt(struct blk *s, const uint32_t *k)
{
    #pragma omp parallel for
    for (int n = 0; n < NBLK; n++) {
        uint32_t x = s[n].hi, y = s[n].lo;
        for (int r = 0; r < ROUNDS; r++) {
            uint32_t t = x;
            x = y ^ (ROL(x, 1) & ROL(x, 8)) ^ ROL(x, 2) ^ k[r];
            y = t;
        }
        s[n].hi = x;
        s[n].lo = y;
    }
}

void mask_text(struct blk *restrict t, const struct blk *restrict s)
{
    for (struct blk *e = t + NBLK; t != e; t++, s++) {
        t->hi ^= s->hi;
        t->lo ^= s->lo;
    }
}

int main(void)
{
    for (int r = 0; r < ROUNDS; r++)
        rk[r] = 0x9e3779b9u * (r + 1);
    for (int i = 0; i < NBLK; i++) {
        stream[i].hi = 0xfeed;
        stream[i].lo = i;
        text[i].hi = text[i].lo = 0x20202020;
    }
    encrypt(stream, rk);
    mask_text(text, stream);
    printf("%08x %08x\n", text[9].hi, text[9].lo);
    return 0;
}
