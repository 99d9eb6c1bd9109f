#include <stdint.h>
#define WORDS 500000

void parities(const uint32_t *in, uint8_t *out)
{
    for (int i = 0; i < WORDS; i++) {
        uint32_t v = in[i];
        v ^= v >> 16;
        v ^= v >> 8;
        v ^= v >> 4;
        v ^= v >> 2;
        v ^= v >> 1;
        out[i] = v & 1;
    }
}

void popcounts(const uint32_t *in, uint32_t *out)
{
    for (int i = 0; i < WORDS; i++) {
        uint32_t v = in[i], n = 0;
        for (int b = 0; b < 32; b++) n += (v >> b) & 1u;
        out[i] = n;
    }
}

void gray_code(uint32_t *v)
{
    for (uint32_t *p = v; p != v + WORDS; ++p) *p ^= *p >> 1;
}

void swap_bytes(uint32_t *restrict dst, const uint32_t *restrict src)
{
    for (int i = 0; i < WORDS; i++)
        dst[i] = (src[i] >> 24) | ((src[i] >> 8) & 0xff00) | ((src[i] << 8) & 0xff0000) | (src[i] << 24);
}
