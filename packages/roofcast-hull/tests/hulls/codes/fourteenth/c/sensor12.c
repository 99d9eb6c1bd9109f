/* Two 12-bit samples in three bytes, as our ADC board sends them. */
#include <stdint.h>
#include <stdio.h>

#define PAIRS 1000000

static uint8_t wire[3 * PAIRS];
static uint16_t samples[2 * PAIRS];

void unpack12(const uint8_t *src, uint16_t *dst)
{
    for (int i = 0; i < PAIRS; ++i) {
        uint16_t a = src[3 * i + 0];
        uint16_t b = src[3 * i + 1];
        uint16_t c = src[3 * i + 2];
        dst[2 * i + 0] = a | ((b & 0x0f) << 8);
        dst[2 * i + 1] = (b >> 4) | (c << 4);
    }
}

void pack12(const uint16_t *src, uint8_t *dst)
{
    const uint16_t *end = src + 2 * PAIRS;
    while (src < end) {
        uint16_t lo = src[0], hi = src[1];
        dst[0] = lo & 0xff;
        dst[1] = (lo >> 8) | ((hi & 0x0f) << 4);
        dst[2] = hi >> 4;
        src += 2;
        dst += 3;
    }
}

int main(void)
{
    for (int i = 0; i < 2 * PAIRS; i++) samples[i] = (uint16_t)((i * 37) & 0xfff);
    pack12(samples, wire);
    unpack12(wire, samples);
    for (int i = 0; i < 2 * PAIRS; i++)
        if (samples[i] != ((i * 37) & 0xfff)) { printf("bad at %d\n", i); return 1; }
    puts("ok");
    return 0;
}
