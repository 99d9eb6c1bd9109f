/* Stack a night's exposures of one field and take the sky glow out of it, row by row. */
#include <stdio.h>
#include <stdlib.h>

#define NF 12
#define H  480
#define W  640

static float frame[NF][H][W];
static float master[H][W];

void mean_frame(void)
{
    int x, y, k;
    for (y = 0; y < H; y++)
        for (x = 0; x < W; x++) {
            float s = 0.0f;
            for (k = 0; k < NF; k++)
                s += frame[k][y][x];
            master[y][x] = s * (1.0f / NF);
        }
}

/* the dome light leaks in from the east, so every row has its own level */
void flatten_rows(float img[H][W])
{
#pragma omp parallel for
    for (int y = 0; y < H; y++) {
        float level = 0.0f;
        for (int x = 0; x < W; x++)
            level += img[y][x];
        level /= W;
        for (int x = 0; x < W; x++)
            img[y][x] -= level;
    }
}

int main(void)
{
    srand(7);
    for (int k = 0; k < NF; k++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                frame[k][y][x] = 100.0f + (rand() % 1000) * 0.01f;
    mean_frame();
    flatten_rows(master);
    printf("%f\n", master[20][30]);
    return 0;
}
