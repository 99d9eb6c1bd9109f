// segmentation masks of 64 pixels a word: growth by one pixel in all eight directions, and pixels set in each row
#include <cstdint>
#include <cstdio>

#define ROWS 2048
#define WORDS 32

static uint64_t mask[ROWS][WORDS], grown[ROWS][WORDS];
static int32_t area[ROWS];

static inline uint64_t spread(const uint64_t *w)
{
    return w[0] | (w[0] << 1) | (w[0] >> 1) | (w[-1] >> 63) | (w[1] << 63);
}

void grow()
{
    for (int y = 1; y < ROWS - 1; y++)
        for (int x = 1; x < WORDS - 1; x++)
            grown[y][x] = spread(&mask[y - 1][x]) | spread(&mask[y][x]) | spread(&mask[y + 1][x]);
}

void row_area()
{
    for (int y = 0; y < ROWS; y++) {
        int32_t n = 0;
        for (int x = 0; x < WORDS; x++)
            n += __builtin_popcountll(grown[y][x]);
        area[y] = n;
    }
}

int main()
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < WORDS; x++)
            mask[y][x] = (uint64_t)(y * 131 + x) * 0x9e3779b97f4a7c15ULL & 0x1111111111111111ULL;
    grow();
    row_area();
    std::printf("%d\n", area[77]);
}
