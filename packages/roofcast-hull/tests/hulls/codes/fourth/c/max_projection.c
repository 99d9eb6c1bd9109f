#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLICES 96
#define ROWS 200
#define COLS 256

typedef int16_t slice_t[ROWS][COLS];

void brightest(slice_t *volume, int16_t picture[ROWS][COLS])
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLS; x++) {
            int16_t best = volume[0][y][x];
            for (int z = 1; z < SLICES; z++)
                if (volume[z][y][x] > best)
                    best = volume[z][y][x];
            picture[y][x] = best;
        }
}

int main(void)
{
    static int16_t picture[ROWS][COLS];
    slice_t *volume = malloc(SLICES * sizeof(slice_t));
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLS; x++)
                volume[z][y][x] = (int16_t)((x * 5 + y * 3 + z * 29) % 4096 - 1000);
    brightest(volume, picture);
    printf("%d\n", picture[17][19]);
    free(volume);
    return 0;
}
