#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* How many acquaintances two people share, for all pairs. */
void common_neighbours(const uint8_t *adj, uint16_t *shared, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            uint16_t c = 0;
            for (int k = 0; k < n; k++)
                c += adj[i * n + k] & adj[j * n + k];
            shared[i * n + j] = c;
        }
}

int main(void)
{
    int n = 523;
    uint8_t *adj = calloc(n * n, 1);
    uint16_t *shared = calloc(n * n, sizeof(uint16_t));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            adj[i * n + j] = i != j && (i + j) % 5 == 0;
    common_neighbours(adj, shared, n);
    printf("%d\n", shared[1]);
    free(adj);
    free(shared);
    return 0;
}
