/* candidates of every empty cell for a batch of sudoku boards, as nine-bit masks; how many are naked singles */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOARDS = 20000, CELLS = 81 };

void candidates(const uint8_t *boards, uint16_t *masks)
{
    for (int b = 0; b < BOARDS; b++) {
        uint16_t row[9] = {0}, col[9] = {0}, box[9] = {0};
        for (int c = 0; c < CELLS; c++) {
            uint16_t bit = (1 << boards[b * CELLS + c]) >> 1; /* 0 is an empty cell */
            row[c / 9] |= bit;
            col[c % 9] |= bit;
            box[c / 27 * 3 + c % 9 / 3] |= bit;
        }
        for (int c = 0; c < CELLS; c++)
            masks[b * CELLS + c] = ~(row[c / 9] | col[c % 9] | box[c / 27 * 3 + c % 9 / 3]) & 0x1ff;
    }
}

long singles(const uint16_t *masks)
{
    long n = 0;
    for (int i = 0; i < BOARDS * CELLS; i++)
        n += __builtin_popcount(masks[i]) == 1;
    return n;
}

int main(void)
{
    uint8_t *boards = calloc(BOARDS * CELLS, 1);
    uint16_t *masks = malloc(sizeof(uint16_t) * BOARDS * CELLS);
    for (int i = 0; i < BOARDS * CELLS; i++)
        if (rand() % 3 == 0) boards[i] = 1 + rand() % 9;
    candidates(boards, masks);
    printf("%ld\n", singles(masks));
    free(boards);
    free(masks);
    return 0;
}
