/* Sort of particles by cell for a short-range solver: counts, offsets, and the slot of each particle. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NP   200000
#define SIDE 24
#define NCELL (SIDE * SIDE * SIDE)

static double pos[NP][3];
static int32_t cell[NP], count[NCELL], first[NCELL], order[NP];

static void find_cells(double per_len)
{
    for (int p = 0; p < NP; p++) {
        int cx = (int)(pos[p][0] * per_len);
        int cy = (int)(pos[p][1] * per_len);
        int cz = (int)(pos[p][2] * per_len);
        cell[p] = (cz * SIDE + cy) * SIDE + cx;
    }
}

static void count_cells(void)
{
    for (int c = 0; c < NCELL; c++)
        count[c] = 0;
    for (int p = 0; p < NP; p++)
        ++count[cell[p]];
}

static void cell_offsets(void)
{
    int32_t run = 0;
    for (int c = 0; c < NCELL; c++) {
        first[c] = run;
        run += count[c];
    }
}

static void place_particles(void)
{
    for (int p = 0; p < NP; p++)
        order[first[cell[p]]++] = p;
}

int main(void)
{
    for (int p = 0; p < NP; p++)
        for (int d = 0; d < 3; d++)
            pos[p][d] = rand() / (RAND_MAX + 1.0);
    find_cells(SIDE);
    count_cells();
    cell_offsets();
    place_particles();
    printf("%d %d\n", count[100], order[100]);
    return 0;
}
