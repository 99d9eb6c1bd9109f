/* Image helpers on variable-length arrays: unsharp mask, 2x reduction, column profile.
 * Operations by hand (a box of 9 sums, 6 more). */
#include <stdio.h>
#include <stdlib.h>

/* out = in + amount * (in - box3x3(in)), interior only */
void unsharp(int h, int w, const float in[h][w], float out[h - 2][w - 2], float amount)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            float s = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    s += in[y + dy][x + dx];
            float v = in[y][x] + amount * (in[y][x] - s / 9.0f);
            if (v < 0.0f) v = 0.0f;
            if (v > 255.0f) v = 255.0f;
            out[y - 1][x - 1] = v;
        }
}

void halve(int h, int w, const float in[h][w], float out[h / 2][w / 2])
{
#pragma omp parallel for collapse(2)
    for (int y = 0; y < h / 2; y++)
        for (int x = 0; x < w / 2; x++)
            out[y][x] = 0.25f * (in[2 * y][2 * x] + in[2 * y][2 * x + 1] + in[2 * y + 1][2 * x] + in[2 * y + 1][2 * x + 1]);
}

/* mean of every column, summed row by row */
void column_profile(int h, int w, const float in[h][w], float prof[w])
{
    for (int x = 0; x < w; x++)
        prof[x] = 0.0f;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            prof[x] += in[y][x];
    for (int x = 0; x < w; x++)
        prof[x] /= h;
}

int main(void)
{
    const int h = 540, w = 960;
    float (*img)[w] = malloc(sizeof(float[h][w]));
    float (*sharp)[w - 2] = malloc(sizeof(float[h - 2][w - 2]));
    float (*half)[w / 2] = malloc(sizeof(float[h / 2][w / 2]));
    float *prof = malloc(sizeof(float) * w);
    if (!img || !sharp || !half || !prof) return 1;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            img[y][x] = (float)((x * 7 + y * 13) % 256);
    unsharp(h, w, img, sharp, 0.6f);
    halve(h, w, img, half);
    column_profile(h, w, img, prof);
    printf("%f %f %f\n", sharp[10][10], half[5][6], prof[100]);
    free(img); free(sharp); free(half); free(prof);
    return 0;
}
