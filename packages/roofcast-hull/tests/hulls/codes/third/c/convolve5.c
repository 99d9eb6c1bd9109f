#include <stdlib.h>

#define CLAMP(v) ((v) < 0 ? 0 : (v) > 255 ? 255 : (v))
#define AT(img, x, y) ((img)[(y) * stride + (x)])

typedef unsigned char byte;

/* 5x5 filter with whole weights; result is divided by 2^shift */
void convolve5(const byte *src, byte *dst, int w, int h, int stride, const int weights[25], int shift)
{
    for (int y = 2; y < h - 2; y++)
        for (int x = 2; x < w - 2; x++) {
            int acc = 0;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++)
                    acc += weights[j * 5 + i] * AT(src, x + i - 2, y + j - 2);
            acc >>= shift;
            AT(dst, x, y) = (byte)CLAMP(acc);
        }
}

static const int gauss[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};

int main(void)
{
    int w = 1280, h = 1024;
    byte *src = malloc(w * h), *dst = malloc(w * h);
    convolve5(src, dst, w, h, w, gauss, 8);
    free(src);
    free(dst);
    return 0;
}
