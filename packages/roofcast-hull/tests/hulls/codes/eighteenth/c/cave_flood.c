/* How far is every cell of a cave from the entrance? A queue of cells. */
#include <stdio.h>
#include <stdlib.h>

#define SIDE 200

static unsigned char rock[SIDE][SIDE];
static int steps[SIDE][SIDE];

void flood_from(int r0, int c0)
{
    static int queue[SIDE * SIDE];
    static const int dr[4] = { 1, -1, 0, 0 }, dc[4] = { 0, 0, 1, -1 };
    int head = 0, tail = 0;

    for (int i = 0; i < SIDE * SIDE; i++)
        steps[i / SIDE][i % SIDE] = -1;
    queue[tail++] = r0 * SIDE + c0;
    steps[r0][c0] = 0;
    while (head < tail) {
        int at = queue[head++];
        for (int k = 0; k < 4; k++) {
            int r = at / SIDE + dr[k], c = at % SIDE + dc[k];
            if (r < 0 || c < 0 || r >= SIDE || c >= SIDE || rock[r][c] || steps[r][c] >= 0)
                continue;
            steps[r][c] = steps[at / SIDE][at % SIDE] + 1;
            queue[tail++] = r * SIDE + c;
        }
    }
}

int main(void)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        rock[i / SIDE][i % SIDE] = rand() % 4 == 0;
    rock[0][0] = 0;
    flood_from(0, 0);
    printf("%d\n", steps[SIDE - 1][SIDE - 1]);
    return 0;
}
