#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const uint8_t *data, size_t n, const uint32_t table[256])
{
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < n; i++)
        c = table[(c ^ data[i]) & 0xFF] ^ (c >> 8);
    return c ^ 0xFFFFFFFFu;
}
