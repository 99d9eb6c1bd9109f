/* Forest fire on a hexagonal lattice, odd rows shifted right by half a cell. Term project, spring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H 900
#define W 1200

enum { BARE = 0, TREE = 1, FIRE = 2, ASH = 3 };

static unsigned char now[H][W], next[H][W];

static void burn(void)
{
    for (int r = 1; r < H - 1; r++) {
        const int odd = r & 1;
        for (int c = 1; c < W - 1; c++) {
            int n = 0;
            n += now[r][c - 1] == FIRE;
            n += now[r][c + 1] == FIRE;
            n += now[r - 1][c - 1 + odd] == FIRE;
            n += now[r - 1][c + odd] == FIRE;
            n += now[r + 1][c - 1 + odd] == FIRE;
            n += now[r + 1][c + odd] == FIRE;
            unsigned char s = now[r][c];
            if (s == FIRE)
                next[r][c] = ASH;
            else if (s == TREE && n >= 1)
                next[r][c] = FIRE;
            else
                next[r][c] = s;
        }
    }
}

static long burnt(void)
{
    long lost = 0;
    for (int r = 0; r < H; r++)
        for (int c = 0; c < W; c++)
            if (now[r][c] == ASH)
                lost++;
    return lost;
}

int main(void)
{
    srand(12);
    for (int r = 0; r < H; r++)
        for (int c = 0; c < W; c++)
            now[r][c] = rand() % 100 < 72 ? TREE : BARE;
    now[H / 2][W / 2] = FIRE;
    for (int t = 0; t < 40; t++) {
        burn();
        memcpy(now, next, sizeof now);
    }
    printf("burnt cells: %ld\n", burnt());
    return 0;
}
