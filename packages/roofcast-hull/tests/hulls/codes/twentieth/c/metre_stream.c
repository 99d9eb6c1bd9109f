/*
 * Column codec of an electricity meter: deltas, zig-zag, then widths per block of 128.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N (1u << 20)
#define BLK 128

void delta_zigzag(const int32_t *restrict v, uint32_t *restrict z)
{
    z[0] = (uint32_t)v[0];
    for (uint32_t i = 1; i < N; i++) {
        int32_t d = v[i] - v[i - 1];
        z[i] = ((uint32_t)d << 1) ^ (uint32_t)(d >> 31);
    }
}

void block_or(const uint32_t *z, uint32_t *mask)
{
    for (uint32_t b = 0; b < N / BLK; b++, z += BLK) {
        uint32_t m = 0;
        for (int k = 0; k < BLK; k++)
            m |= z[k];
        mask[b] = m;
    }
}

void undo(const uint32_t *z, int32_t *v)
{
    int32_t at = 0;
    for (uint32_t i = 0; i < N; i++) {
        at += (int32_t)(z[i] >> 1) ^ -(int32_t)(z[i] & 1);
        v[i] = at;
    }
}

/* LEB128, one value after another; says how many bytes it took */
size_t put_varint(const uint32_t *z, uint8_t *dst)
{
    uint8_t *p = dst;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = z[i];
        while (x >= 0x80) {
            *p++ = (uint8_t)(x | 0x80);
            x >>= 7;
        }
        *p++ = (uint8_t)x;
    }
    return (size_t)(p - dst);
}

int main(void)
{
    int32_t *v = malloc(N * sizeof *v), *w = malloc(N * sizeof *w);
    uint32_t *z = malloc(N * sizeof *z), *mask = malloc(N / BLK * sizeof *mask);
    uint8_t *bytes = malloc(5 * (size_t)N);
    for (uint32_t i = 0; i < N; i++) v[i] = (int32_t)(i * 3 + (i * 40503u >> 11) % 50);
    delta_zigzag(v, z);
    block_or(z, mask);
    undo(z, w);
    /* z[0] is raw, so what comes back is off by a constant */
    printf("%d %x %zu\n", v[77] - w[77], mask[3], put_varint(z, bytes));
    free(v); free(w); free(z); free(mask); free(bytes);
    return 0;
}
