/* features of Go positions, a batch at a time: +1 black, -1 white, 0 empty */
#include <stdio.h>
#include <stdlib.h>
#define GAMES 4096
#define SZ 19
typedef signed char board[SZ][SZ];

void empties_around(board *pos, board *lib)
{
    for (int g = 0; g < GAMES; g++)
        for (int y = 0; y < SZ; y++)
            for (int x = 0; x < SZ; x++) {
                int n = 0;
                if (y > 0)      n += pos[g][y - 1][x] == 0;
                if (y < SZ - 1) n += pos[g][y + 1][x] == 0;
                if (x > 0)      n += pos[g][y][x - 1] == 0;
                if (x < SZ - 1) n += pos[g][y][x + 1] == 0;
                lib[g][y][x] = n;
            }
}

void stone_lead(board *pos, short *lead)
{
    for (int g = 0; g < GAMES; g++) {
        const signed char *p = &pos[g][0][0];
        int s = 0;
        for (int k = 0; k < SZ * SZ; k++)
            s += p[k];
        lead[g] = s;
    }
}

/* walks one chain; called from the tactical reader */
static int flood(board b, board seen, int y, int x, int colour)
{
    if (y < 0 || x < 0 || y >= SZ || x >= SZ || seen[y][x] || b[y][x] != colour)
        return 0;
    seen[y][x] = 1;
    return 1 + flood(b, seen, y - 1, x, colour) + flood(b, seen, y + 1, x, colour)
             + flood(b, seen, y, x - 1, colour) + flood(b, seen, y, x + 1, colour);
}

int main(void)
{
    board *pos = malloc(GAMES * sizeof *pos), *lib = malloc(GAMES * sizeof *lib);
    static board seen;
    static short lead[GAMES];
    for (int i = 0; i < GAMES * SZ * SZ; i++)
        pos[i / (SZ * SZ)][i / SZ % SZ][i % SZ] = rand() % 3 - 1;
    empties_around(pos, lib);
    stone_lead(pos, lead);
    printf("%d %d %d\n", lib[7][3][3], lead[7], flood(pos[7], seen, 3, 3, pos[7][3][3]));
    return 0;
}
