/* Shaded relief of an elevation model (Horn's gradient), inner points only.
   Blind set: class by hand; operations counted in Python for one point. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 2000
#define COLS 3000

static float dem[ROWS][COLS];
static uint8_t shade[ROWS][COLS];

void hillshade(const float z[ROWS][COLS], uint8_t out[ROWS][COLS], float cell, float azimuth, float altitude)
{
    const float sz = cosf(altitude), cz = sinf(altitude);
    const float ca = cosf(azimuth), sa = sinf(azimuth);
    const float w = 8.0f * cell;
    int r, c;
#pragma omp parallel for private(c)
    for (r = 1; r < ROWS - 1; r++) {
        for (c = 1; c < COLS - 1; c++) {
            float p = ((z[r - 1][c + 1] + 2.0f * z[r][c + 1] + z[r + 1][c + 1]) -
                       (z[r - 1][c - 1] + 2.0f * z[r][c - 1] + z[r + 1][c - 1])) / w;
            float q = ((z[r + 1][c - 1] + 2.0f * z[r + 1][c] + z[r + 1][c + 1]) -
                       (z[r - 1][c - 1] + 2.0f * z[r - 1][c] + z[r - 1][c + 1])) / w;
            float s = (cz + sz * (p * ca + q * sa)) / sqrtf(1.0f + p * p + q * q);
            if (s < 0.0f)
                s = 0.0f;
            out[r][c] = (uint8_t)(255.0f * s + 0.5f);
        }
    }
}

int main(int argc, char **argv)
{
    float azimuth = argc > 1 ? (float)atof(argv[1]) : 5.4978f;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            dem[r][c] = 50.0f * sinf(r * 0.013f) * cosf(c * 0.007f) + 0.3f * ((r * 7 + c * 3) % 5);
    hillshade((const float(*)[COLS])dem, shade, 30.0f, azimuth, 0.7854f);
    unsigned long sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            sum += shade[r][c];
    printf("mean shade %.3f\n", (double)sum / ((double)ROWS * COLS));
    return 0;
}
