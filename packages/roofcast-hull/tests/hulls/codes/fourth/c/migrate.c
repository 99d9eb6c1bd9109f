#include <stdio.h>
#include <stdlib.h>
#define GRADES 8
#define FIRMS 50000

typedef float row_t[GRADES];

/* one year of ratings: each firm's chances of its grades, through the table of changes */
static void migrate(const row_t *now, const row_t *change, row_t *next)
{
    for (int f = 0; f < FIRMS; ++f)
        for (int to = 0; to < GRADES; ++to) {
            float chance = 0.f;
            for (int from = 0; from < GRADES; ++from)
                chance += now[f][from] * change[from][to];
            next[f][to] = chance;
        }
}

int main(void)
{
    static row_t change[GRADES];
    row_t *now = malloc(FIRMS * sizeof(row_t)), *next = malloc(FIRMS * sizeof(row_t));
    for (int a = 0; a < GRADES; ++a)
        for (int b = 0; b < GRADES; ++b)
            change[a][b] = a == b ? 0.93f : 0.01f;
    for (int f = 0; f < FIRMS; ++f)
        for (int g = 0; g < GRADES; ++g)
            now[f][g] = f % GRADES == g;
    migrate((const row_t *)now, (const row_t *)change, next);
    printf("%f %f\n", next[0][0], next[0][1]);
    free(now);
    free(next);
}
