/* Disjoint sets with path halving: how many clusters do random links leave?
 * Checked: compiles, runs.  No class: the walks up the trees depend on the data. */
#include <stdio.h>
#include <stdlib.h>

#define NODES 10000
#define LINKS 7500

static int parent[NODES];
static int from[LINKS], to[LINKS];

int join_all(int *up, const int *a, const int *b, int m)
{
    int merged = 0;
    for (int e = 0; e < m; e++) {
        int x = a[e], y = b[e];
        while (up[x] != x) {
            up[x] = up[up[x]];
            x = up[x];
        }
        while (up[y] != y) {
            up[y] = up[up[y]];
            y = up[y];
        }
        if (x != y) {
            up[x] = y;
            merged++;
        }
    }
    return merged;
}

int main(void)
{
    srand(1);
    for (int i = 0; i < NODES; i++) parent[i] = i;
    for (int e = 0; e < LINKS; e++) {
        from[e] = rand() % NODES;
        to[e] = rand() % NODES;
    }
    printf("%d clusters\n", NODES - join_all(parent, from, to, LINKS));
    return 0;
}
