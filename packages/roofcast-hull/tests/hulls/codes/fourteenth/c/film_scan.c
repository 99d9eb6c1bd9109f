/* Scanner: strip comes in sideways and negative. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 1080
#define COLS 1920
#define AT(img, w, y, x) ((img)[(size_t)(y) * (w) + (x)])

typedef uint16_t px;

/* turn by 90 degrees clockwise and invert */
void turn_and_invert(const px *neg, px *pos)
{
    for (int y = 0; y < COLS; y++)
        for (int x = 0; x < ROWS; x++)
            AT(pos, ROWS, y, x) = (px)(65535 - AT(neg, COLS, ROWS - 1 - x, y));
}

/* darkest value of each line, for the base of the film */
void line_floor(const px *pos, px *floor_)
{
    for (int y = 0; y < COLS; y++) {
        px m = AT(pos, ROWS, y, 0);
        for (int x = 0; x < ROWS; x++)
            if (AT(pos, ROWS, y, x) < m)
                m = AT(pos, ROWS, y, x);
        floor_[y] = m;
    }
}

int main(void)
{
    px *neg = malloc(sizeof(px) * ROWS * COLS);
    px *pos = malloc(sizeof(px) * ROWS * COLS);
    px floors[COLS];
    for (int i = 0; i < ROWS * COLS; i++) neg[i] = (px)(i * 2654435761u >> 16);
    turn_and_invert(neg, pos);
    line_floor(pos, floors);
    printf("%d %d\n", floors[0], floors[COLS - 1]);
    free(neg);
    free(pos);
    return 0;
}
