/* Map of a strategy game: cost of a step, coarser maps for the level of detail, what a tower sees. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 512

static float height[SIZE][SIZE];
static unsigned char terrain[SIZE][SIZE];
static float cost[SIZE][SIZE];
static float low[SIZE / 2][SIZE / 2], high[SIZE / 2][SIZE / 2];
static float base_cost[8] = {1.0f, 1.2f, 2.0f, 3.0f, 0.8f, 9.0f, 1.5f, 4.0f};

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void step_cost(float steepness)
{
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            if (x == 0 || y == 0 || x == SIZE - 1 || y == SIZE - 1)
                continue;
            float h = height[y][x];
            float n = fabsf(height[y - 1][x] - h);
            float s = fabsf(height[y + 1][x] - h);
            float w = fabsf(height[y][x - 1] - h);
            float e = fabsf(height[y][x + 1] - h);
            float a = MAX(n, s);
            float b = MAX(w, e);
            float slope = MAX(a, b);
            cost[y][x] = base_cost[terrain[y][x]] * (1.0f + steepness * slope);
        }
    }
}

void coarser(void)
{
    for (int y = 0; y < SIZE; y += 2)
        for (int x = 0; x < SIZE; x += 2) {
            float a = height[y][x], b = height[y][x + 1];
            float c = height[y + 1][x], d = height[y + 1][x + 1];
            float lo1 = MIN(a, b), lo2 = MIN(c, d);
            float hi1 = MAX(a, b), hi2 = MAX(c, d);
            low[y >> 1][x >> 1] = MIN(lo1, lo2);
            high[y >> 1][x >> 1] = MAX(hi1, hi2);
        }
}

/* how far a tower sees along each of n directions before the ground is in the way */
void sight_lines(int ty, int tx, float eye, const float *dir, float *reach, int n)
{
    for (int k = 0; k < n; k++) {
        float y = ty, x = tx, steepest = -1e9f, dist = 0.0f;
        float dy = dir[2 * k], dx = dir[2 * k + 1];
        while (y >= 1 && x >= 1 && y < SIZE - 1 && x < SIZE - 1) {
            y += dy;
            x += dx;
            dist += 1.0f;
            float tilt = (height[(int)y][(int)x] - eye) / dist;
            if (tilt > steepest + 0.2f) break;
            if (tilt > steepest) steepest = tilt;
        }
        reach[k] = dist;
    }
}

int main(void)
{
    static float dir[720], reach[360];
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            height[y][x] = 20.0f * sinf(0.03f * x) * cosf(0.02f * y) + 3.0f * sinf(0.3f * (x + y));
            terrain[y][x] = (unsigned char)((x / 9 + y / 7) % 8);
        }
    for (int k = 0; k < 360; k++) {
        dir[2 * k] = sinf(k * 0.0174533f);
        dir[2 * k + 1] = cosf(k * 0.0174533f);
    }
    step_cost(0.7f);
    coarser();
    sight_lines(250, 250, height[250][250] + 5.0f, dir, reach, 360);
    printf("%f %f %f %f\n", cost[100][100], low[9][9], high[9][9], reach[45]);
    return 0;
}
