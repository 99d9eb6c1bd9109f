#include <stdio.h>
#include <stdlib.h>

/* runs of equal bytes as pairs of a length (at most 255) and the byte */
size_t rle_encode(const unsigned char *in, size_t n, unsigned char *out)
{
    size_t i = 0, o = 0;
    while (i < n) {
        size_t run = 1;
        while (i + run < n && run < 255 && in[i + run] == in[i])
            run++;
        out[o++] = (unsigned char)run;
        out[o++] = in[i];
        i += run;
    }
    return o;
}

int main(void)
{
    const size_t n = 1 << 20;
    unsigned char *in = malloc(n), *out = malloc(2 * n);
    for (size_t i = 0; i < n; i++) in[i] = (unsigned char)((i / 37) & 3);
    size_t m = rle_encode(in, n, out);
    printf("%zu bytes to %zu\n", n, m);
    free(in);
    free(out);
    return 0;
}
