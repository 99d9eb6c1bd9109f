/* Storage node: parity over the data drives of a stripe, and a fingerprint of every 4 KiB block. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DRIVES 6
#define WORDS  (1u << 18)       /* 64-bit words of one drive's chunk: 2 MiB */
#define BLK    4096u
#define NBLK   (WORDS * 8u / BLK)

static uint64_t drive[DRIVES][WORDS];
static uint64_t parity[WORDS];
static uint32_t mark[NBLK];

static void make_parity(void)
{
    uint32_t w;
    int d;
    for (w = 0; w < WORDS; w++) {
        uint64_t acc = drive[0][w];
        for (d = 1; d < DRIVES; d++)
            acc ^= drive[d][w];
        parity[w] = acc;
    }
}

static void fingerprint(const uint8_t *bytes)
{
    #pragma omp parallel for
    for (uint32_t b = 0; b < NBLK; b++) {
        const uint8_t *p = bytes + (size_t)b * BLK;
        uint32_t h = 2166136261u;
        for (uint32_t i = 0; i < BLK; i++) {
            h ^= p[i];
            h *= 16777619u;
        }
        mark[b] = h;
    }
}

int main(void)
{
    for (int d = 0; d < DRIVES; d++)
        for (uint32_t w = 0; w < WORDS; w++)
            drive[d][w] = ((uint64_t)rand() << 32) ^ rand();
    make_parity();
    fingerprint((const uint8_t *)parity);
    printf("%08x\n", mark[5]);
    return 0;
}
