/* Byte statistics and a greedy LZ77 tokeniser with a hash of the last three bytes.
 * byte_histogram and xor_delta by hand; the tokeniser follows the data. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN (1 << 18)
#define HASH_BITS 13
#define MIN_MATCH 3
#define MAX_MATCH 258
#define WINDOW 32768

static int head[1 << HASH_BITS];

void byte_histogram(const uint8_t *p, uint32_t count[256])
{
    memset(count, 0, 256 * sizeof(uint32_t));
    for (int i = 0; i < LEN; i++)
        count[p[i]]++;
}

/* difference coding against the byte `dist` = 4 before: out has LEN - 4 bytes */
void xor_delta(uint8_t *restrict out, const uint8_t *restrict in)
{
    for (int i = 4; i < LEN; i++)
        out[i - 4] = in[i] ^ in[i - 4];
}

static uint32_t hash3(const uint8_t *p)
{
    return ((p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16) * 2654435761u) >> (32 - HASH_BITS);
}

/* number of tokens (literals and matches) */
int lz_tokens(const uint8_t *p, int n, int *matched)
{
    int pos = 0, tokens = 0;
    *matched = 0;
    for (int i = 0; i < 1 << HASH_BITS; i++)
        head[i] = -1;
    while (pos + MIN_MATCH <= n) {
        uint32_t h = hash3(p + pos);
        int cand = head[h];
        head[h] = pos;
        int len = 0;
        if (cand >= 0 && pos - cand <= WINDOW) {
            int limit = n - pos < MAX_MATCH ? n - pos : MAX_MATCH;
            while (len < limit && p[cand + len] == p[pos + len])
                len++;
        }
        if (len >= MIN_MATCH) {
            *matched += len;
            pos += len;
        } else {
            pos++;
        }
        tokens++;
    }
    return tokens + (n - pos);
}

int main(void)
{
    uint8_t *buf = malloc(LEN), *delta = malloc(LEN);
    uint32_t count[256];
    if (!buf || !delta) return 1;
    uint32_t s = 1;
    for (int i = 0; i < LEN; i++) {
        s = s * 1103515245u + 12345u;
        buf[i] = i % 64 < 40 ? (uint8_t)(i % 40 + 'A') : (uint8_t)(s >> 24);
    }
    byte_histogram(buf, count);
    xor_delta(delta, buf);
    int matched;
    int tokens = lz_tokens(buf, LEN, &matched);
    printf("A: %u, delta[9] %d, %d tokens, %d bytes matched\n", count['A'], delta[9], tokens, matched);
    free(buf);
    free(delta);
    return 0;
}
