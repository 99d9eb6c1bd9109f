/* Three checks of a burst of packets. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PACKETS 8192
#define BYTES 1500
#define WORDS (BYTES / 2)

/* ones' complement sum of 16-bit words, as in IP and UDP */
static void inet(const uint16_t *burst, uint16_t *sum)
{
    for (int p = 0; p < PACKETS; p++) {
        uint32_t s = 0;
        for (int i = 0; i < WORDS; i++)
            s += burst[p * WORDS + i];
        s = (s & 0xffff) + (s >> 16);
        s = (s & 0xffff) + (s >> 16);
        sum[p] = (uint16_t)~s;
    }
}

static uint32_t adler_one(const uint8_t *d, int n)
{
    uint32_t a = 1, b = 0;
    while (n--) {
        a = (a + *d++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void adler(const uint8_t *burst, uint32_t *out)
{
    for (int p = 0; p < PACKETS; p++)
        out[p] = adler_one(burst + (size_t)p * BYTES, BYTES);
}

/* one digest of everything, in order */
static uint64_t fnv_all(const uint8_t *burst)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < (size_t)PACKETS * BYTES; i++) {
        h ^= burst[i];
        h *= 0x100000001b3ull;
    }
    return h;
}

int main(void)
{
    uint8_t *burst = malloc((size_t)PACKETS * BYTES);
    uint16_t *words = malloc(sizeof *words * PACKETS * WORDS);
    uint16_t *s16 = malloc(sizeof *s16 * PACKETS);
    uint32_t *s32 = malloc(sizeof *s32 * PACKETS);
    for (size_t i = 0; i < (size_t)PACKETS * BYTES; i++)
        burst[i] = (uint8_t)(i * i >> 5);
    for (size_t i = 0; i < (size_t)PACKETS * WORDS; i++)
        words[i] = (uint16_t)(burst[2 * i] << 8 | burst[2 * i + 1]);
    inet(words, s16);
    adler(burst, s32);
    printf("%04x %08x %016llx\n", s16[9], s32[9], (unsigned long long)fnv_all(burst));
    free(burst); free(words); free(s16); free(s32);
    return 0;
}
