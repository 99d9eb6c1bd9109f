#define PIXELS 4000000
typedef unsigned char byte;

void histogram(const byte *img, int hist[256])
{
    int i;
    for (i = 0; i < 256; i++) hist[i] = 0;
    for (i = 0; i < PIXELS; i++) hist[img[i]]++;
}

void cumulate(int hist[256])
{
    for (int i = 1; i < 256; i++) hist[i] += hist[i - 1];
}

void apply(byte *img, const byte table[256])
{
    byte *end = img + PIXELS;
    for (byte *p = img; p < end; p++) *p = table[*p];
}
