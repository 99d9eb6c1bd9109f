/* Counting of ranked ballots: points, duels, and seats by highest averages. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VOTERS 20000
#define CANDS  12
#define SEATS  31

static uint8_t rank[VOTERS][CANDS];
static int points[CANDS], duel[CANDS][CANDS], seats[CANDS];

static void borda(void)
{
    memset(points, 0, sizeof points);
    for (int v = 0; v < VOTERS; v++)
        for (int c = 0; c < CANDS; c++)
            points[c] += CANDS - rank[v][c];
}

static void duels(void)
{
    memset(duel, 0, sizeof duel);
    for (int v = 0; v < VOTERS; v++) {
        const uint8_t *r = rank[v];
        for (int a = 0; a < CANDS; a++)
            for (int b = 0; b < CANDS; b++)
                duel[a][b] += r[a] < r[b];
    }
}

static void highest_averages(const int *votes, int *won)
{
    for (int s = 0; s < SEATS; s++) {
        int best = 0;
        for (int p = 1; p < CANDS; p++)
            if ((long)votes[p] * (won[best] + 1) > (long)votes[best] * (won[p] + 1))
                best = p;
        won[best]++;
    }
}

int main(void)
{
    for (int v = 0; v < VOTERS; v++)
        for (int c = 0; c < CANDS; c++)
            rank[v][c] = (uint8_t)((c * 5 + v * 7 + v / 13) % CANDS + 1);
    borda();
    duels();
    highest_averages(points, seats);
    printf("%d %d %d\n", points[3], duel[1][2], seats[0]);
    return 0;
}
