/* Unpacks the music data of our demo: control byte, then a literal run or a match into what is already there. */
#include <stdio.h>
#include <stdint.h>

#define OUTMAX 65536
static const uint8_t packed[] = {
    4, 'd', 'a', 'd', 'u', 0x83, 4, 0x85, 2, 2, '!', '?', 0x9f, 9, 0
};
static uint8_t unpacked[OUTMAX];

int depack(const uint8_t *src, uint8_t *dst)
{
    uint8_t *start = dst;
    for (;;) {
        int c = *src++;
        if (c == 0)
            return (int)(dst - start);
        if (c & 0x80) {
            int len = (c & 0x7f) + 2;
            const uint8_t *from = dst - *src++;
            while (len--)
                *dst++ = *from++;
        } else {
            while (c--)
                *dst++ = *src++;
        }
    }
}

int main(void)
{
    int n = depack(packed, unpacked);
    printf("%d: %.*s\n", n, n, unpacked);
    return 0;
}
