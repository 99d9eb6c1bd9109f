/* Occupancy atlas: each 64-bit word is an 8x8 patch of the map, one byte a row. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define PATCHES 400000u

static uint64_t atlas[PATCHES], turned[PATCHES];
static uint8_t filled[PATCHES];

static inline uint64_t swap_bits(uint64_t x, int shift, uint64_t mask)
{
    uint64_t t = (x ^ (x >> shift)) & mask;
    return x ^ t ^ (t << shift);
}

void transpose_patches(const uint64_t *restrict in, uint64_t *restrict out)
{
    for (uint32_t i = 0; i < PATCHES; ++i) {
        uint64_t x = in[i];
        x = swap_bits(x, 7, UINT64_C(0x00AA00AA00AA00AA));
        x = swap_bits(x, 14, UINT64_C(0x0000CCCC0000CCCC));
        x = swap_bits(x, 28, UINT64_C(0x00000000F0F0F0F0));
        out[i] = x;
    }
}

void count_filled(void)
{
    for (uint32_t i = 0; i < PATCHES; ++i) {
        uint64_t v = atlas[i];
        v = v - ((v >> 1) & UINT64_C(0x5555555555555555));
        v = (v & UINT64_C(0x3333333333333333)) + ((v >> 2) & UINT64_C(0x3333333333333333));
        v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
        filled[i] = (uint8_t)((v * UINT64_C(0x0101010101010101)) >> 56);
    }
}

/* which cells are set in every patch of the atlas */
uint64_t common_cells(void)
{
    uint64_t all = ~UINT64_C(0);
    for (uint32_t i = 0; i < PATCHES; ++i)
        all &= atlas[i];
    return all;
}

int main(void)
{
    uint64_t s = 88172645463325252ull;
    for (uint32_t i = 0; i < PATCHES; ++i) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        atlas[i] = s | 1;
    }
    transpose_patches(atlas, turned);
    count_filled();
    printf("%" PRIx64 " %d %" PRIx64 "\n", turned[9], filled[9], common_cells());
    return 0;
}
