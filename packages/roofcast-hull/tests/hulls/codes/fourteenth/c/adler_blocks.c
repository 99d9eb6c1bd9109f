/* Adler-32 of every 4 KiB page of an image, so that only changed pages are sent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE 4096u
#define PAGES 2048u
#define BASE 65521u

static uint8_t *image;
static uint32_t sums[PAGES];

void page_sums(const uint8_t *img, uint32_t *out)
{
    for (unsigned p = 0; p < PAGES; ++p) {
        const uint8_t *s = img + (size_t)p * PAGE;
        uint32_t a = 1, b = 0;
        for (unsigned i = 0; i < PAGE; ++i) {
            a = (a + s[i]) % BASE;
            b = (b + a) % BASE;
        }
        out[p] = (b << 16) | a;
    }
}

int main(void)
{
    image = malloc((size_t)PAGE * PAGES);
    if (!image)
        return 1;
    for (size_t i = 0; i < (size_t)PAGE * PAGES; i++)
        image[i] = (uint8_t)(i * 11 + (i >> 9));
    page_sums(image, sums);
    printf("%08x %08x\n", sums[0], sums[PAGES - 1]);
    free(image);
    return 0;
}
