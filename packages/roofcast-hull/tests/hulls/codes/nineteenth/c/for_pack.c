/* frame of reference: blocks of 128 keys, base + 8 bits each */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 1024, BLK = 128, WORDS = BLK / 4 };

void block_base(const uint32_t *restrict key, uint32_t *restrict base)
{
    for (int b = 0; b < BLOCKS; b++) {
        uint32_t m = key[b * BLK];
        for (int i = 1; i < BLK; i++)
            if (key[b * BLK + i] < m)
                m = key[b * BLK + i];
        base[b] = m;
    }
}

void pack8(const uint32_t *restrict key, const uint32_t *restrict base, uint32_t *restrict word)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int w = 0; w < WORDS; w++) {
            const uint32_t *k = &key[b * BLK + 4 * w];
            const uint32_t m = base[b];
            word[b * WORDS + w] = (k[0] - m) | (k[1] - m) << 8 | (k[2] - m) << 16 | (k[3] - m) << 24;
        }
}

void unpack8(const uint32_t *restrict word, const uint32_t *restrict base, uint32_t *restrict key)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int w = 0; w < WORDS; w++) {
            uint32_t v = word[b * WORDS + w];
            key[b * BLK + 4 * w + 0] = base[b] + (v & 0xff);
            key[b * BLK + 4 * w + 1] = base[b] + (v >> 8 & 0xff);
            key[b * BLK + 4 * w + 2] = base[b] + (v >> 16 & 0xff);
            key[b * BLK + 4 * w + 3] = base[b] + (v >> 24);
        }
}

int main(void)
{
    uint32_t *key = malloc(BLOCKS * BLK * sizeof *key), *back = malloc(BLOCKS * BLK * sizeof *back);
    uint32_t *base = malloc(BLOCKS * sizeof *base), *word = malloc(BLOCKS * WORDS * sizeof *word);
    for (int i = 0; i < BLOCKS * BLK; i++)
        key[i] = 1000u * (i / BLK) + rand() % 200;
    block_base(key, base);
    pack8(key, base, word);
    unpack8(word, base, back);
    printf("%u %u\n", key[777], back[777]);
    free(key); free(back); free(base); free(word);
    return 0;
}
