#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

static const char alphabet[64] = {
    'A','B','C','D','E','F','G','H','I','J','K','L','M','N','O','P','Q','R','S','T','U','V','W','X','Y','Z',
    'a','b','c','d','e','f','g','h','i','j','k','l','m','n','o','p','q','r','s','t','u','v','w','x','y','z',
    '0','1','2','3','4','5','6','7','8','9','+','/'};

/* whole groups of three bytes only; the caller pads */
void encode_groups(const uint8_t *in, char *out, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        uint32_t v = (uint32_t)in[3 * g] << 16 | (uint32_t)in[3 * g + 1] << 8 | in[3 * g + 2];
        out[4 * g + 0] = alphabet[v >> 18];
        out[4 * g + 1] = alphabet[v >> 12 & 63];
        out[4 * g + 2] = alphabet[v >> 6 & 63];
        out[4 * g + 3] = alphabet[v & 63];
    }
}

int main(void)
{
    size_t groups = 1000000;
    uint8_t *in = malloc(3 * groups);
    char *out = malloc(4 * groups);
    if (!in || !out) return 1;
    memcpy(in, "Man is distinguished", 20);
    for (size_t i = 20; i < 3 * groups; i++) in[i] = (uint8_t)(i * 31);
    encode_groups(in, out, groups);
    printf("%.24s\n", out);
    free(in);
    free(out);
    return 0;
}
