#include <stdio.h>
#include <string.h>

#define H 120
#define W 200

static unsigned char canvas[H][W];

void flood(int y, int x, unsigned char from, unsigned char to)
{
    if (y < 0 || y >= H || x < 0 || x >= W || canvas[y][x] != from)
        return;
    canvas[y][x] = to;
    flood(y - 1, x, from, to);
    flood(y + 1, x, from, to);
    flood(y, x - 1, from, to);
    flood(y, x + 1, from, to);
}

int main(void)
{
    memset(canvas, 1, sizeof canvas);
    for (int y = 0; y < H - 10; y++)
        canvas[y][77] = 0;
    flood(3, 3, 1, 9);
    printf("%d %d\n", canvas[H - 1][W - 1], canvas[0][77]);
    return 0;
}
