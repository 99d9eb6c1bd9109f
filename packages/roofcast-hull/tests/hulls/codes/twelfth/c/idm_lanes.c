/* Intelligent driver model: cars of each lane in order, the leader first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 40
#define CARS 500
#define CELLS 100

static float pos[LANES][CARS], vel[LANES][CARS], acc[LANES][CARS], wish[LANES][CARS];
static int density[LANES][CELLS];

void follow(float a_max, float headway, float inv_2root)
{
#pragma omp parallel for collapse(2)
    for (int l = 0; l < LANES; l++)
        for (int c = 1; c < CARS; c++) {
            float v = vel[l][c];
            float dv = v - vel[l][c - 1];
            float gap = pos[l][c - 1] - pos[l][c] - 4.5f;
            float want = 2.0f + v * headway + v * dv * inv_2root;
            float r = v / wish[l][c];
            float r2 = r * r;
            float q = want / gap;
            acc[l][c] = a_max * (1.0f - r2 * r2 - q * q);
        }
}

void advance(float dt)
{
    for (int l = 0; l < LANES; l++)
        for (int c = 0; c < CARS; c++) {
            float v = vel[l][c] + acc[l][c] * dt;
            if (v < 0.0f) v = 0.0f;
            vel[l][c] = v;
            pos[l][c] += v * dt;
        }
}

void count_cells(float per_cell)
{
    memset(density, 0, sizeof density);
    for (int l = 0; l < LANES; l++)
        for (int c = 0; c < CARS; c++) {
            int b = (int)(pos[l][c] * per_cell);
            if (b < 0 || b >= CELLS) continue;
            density[l][b]++;
        }
}

int main(void)
{
    for (int l = 0; l < LANES; l++)
        for (int c = 0; c < CARS; c++) {
            pos[l][c] = 20.0f * (CARS - c) + 0.1f * l;
            vel[l][c] = 20.0f + (float)((c * 13 + l) % 7);
            wish[l][c] = 30.0f + (float)(c % 5);
        }
    follow(1.2f, 1.5f, 0.37f);
    advance(0.5f);
    count_cells(CELLS / 10100.0f);
    printf("%f %f %d\n", pos[3][7], vel[39][499], density[0][50]);
    return 0;
}
