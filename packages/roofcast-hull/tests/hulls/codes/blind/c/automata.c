#include <string.h>
#define CELLS 65536
#define SIDE 512

void rule110(const unsigned char *now, unsigned char *next)
{
    for (int i = 1; i < CELLS - 1; i++) {
        int code = (now[i - 1] << 2) | (now[i] << 1) | now[i + 1];
        next[i] = (110 >> code) & 1;
    }
}

void laplace_torus(const float u[SIDE][SIDE], float v[SIDE][SIDE], float k)
{
    for (int y = 0; y < SIDE; y++) {
        int up = (y + SIDE - 1) % SIDE, down = (y + 1) % SIDE;
        for (int x = 0; x < SIDE; x++) {
            int left = (x + SIDE - 1) % SIDE, right = (x + 1) % SIDE;
            v[y][x] = u[y][x] + k * (u[up][x] + u[down][x] + u[y][left] + u[y][right] - 4 * u[y][x]);
        }
    }
}

void red_black(float u[SIDE][SIDE], const float f[SIDE][SIDE], int colour)
{
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1 + (y + colour) % 2; x < SIDE - 1; x += 2)
            u[y][x] = 0.25f * (u[y - 1][x] + u[y + 1][x] + u[y][x - 1] + u[y][x + 1] - f[y][x]);
}
