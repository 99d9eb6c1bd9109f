/* Reed-Solomon (255,239) receiver: syndromes over GF(256), and which words are in error */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 4096
#define LEN 255
#define ROOTS 16

static uint8_t alog[512];
static uint8_t lg[256];
static uint8_t word[WORDS][LEN], synd[WORDS][ROOTS], flagged[WORDS];

static void syndromes(void)
{
    for (int w = 0; w < WORDS; w++)
        for (int r = 0; r < ROOTS; r++) {
            uint8_t s = 0;
            for (int j = 0; j < LEN; j++) {
                if (s)
                    s = alog[lg[s] + r];
                s ^= word[w][j];
            }
            synd[w][r] = s;
        }
}

static void in_error(void)
{
    for (int w = 0; w < WORDS; w++) {
        uint8_t any = 0;
        const uint8_t *s = synd[w];
        for (int r = 0; r < ROOTS; r++)
            any |= s[r];
        flagged[w] = any != 0;
    }
}

int main(void)
{
    int x = 1;
    for (int i = 0; i < 255; i++) {
        alog[i] = alog[i + 255] = (uint8_t)x;
        lg[x] = (uint8_t)i;
        x <<= 1;
        if (x & 256) x ^= 0x11d;
    }
    for (int w = 0; w < WORDS; w++)
        for (int j = 0; j < LEN; j++) word[w][j] = w & 1 ? rand() & 255 : 0;
    syndromes();
    in_error();
    printf("%d %d %d\n", synd[1][3], flagged[0], flagged[1]);
    return 0;
}
