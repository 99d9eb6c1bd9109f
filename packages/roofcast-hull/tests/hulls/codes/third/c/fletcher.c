#include <stdint.h>

#define LENGTH 65536

/* Fletcher's checksum, reduced at every step. */
uint32_t fletcher(const uint16_t *words, int count)
{
    uint32_t low = 0xffff, high = 0xffff;
    while (count-- > 0) {
        low = (low + *words++) % 65535;
        high = (high + low) % 65535;
    }
    return (high << 16) | low;
}

static uint16_t words[LENGTH];

int main(void) { return fletcher(words, LENGTH) != 0; }
