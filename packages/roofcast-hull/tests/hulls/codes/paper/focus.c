/* Centres of LEDs in a picture: threshold by Otsu, erosion, projections. Plain C, one function a primitive. */
#include <stdlib.h>
#include <string.h>

#define HEIGHT 1024
#define WIDTH 1024
#define LEVELS 256
#define CANDIDATES 262144
#define RADIUS 3

void histogram(const float *image, unsigned int *counts)
{
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        counts[(int)image[i]]++;
}

float maximum(const float *variances, int n)
{
    float best = variances[0];
    for (int i = 1; i < n; i++)
        if (variances[i] > best)
            best = variances[i];
    return best;
}

void threshold(const float *image, float *binary, float level)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            binary[y * WIDTH + x] = image[y * WIDTH + x] > level ? 1.0f : 0.0f;
}

void erode(const float *in, float *out)
{
    for (int y = RADIUS; y < HEIGHT - RADIUS; y++) {
        for (int x = RADIUS; x < WIDTH - RADIUS; x++) {
            float least = in[y * WIDTH + x];
            for (int dy = -RADIUS; dy <= RADIUS; dy++)
                for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                    float v = in[(y + dy) * WIDTH + (x + dx)];
                    if (v < least)
                        least = v;
                }
            out[y * WIDTH + x] = least;
        }
    }
}

void x_projection(const float *in, float *sums)
{
    for (int y = 0; y < HEIGHT; y++) {
        float sum = 0.0f;
        for (int x = 0; x < WIDTH; x++)
            sum += in[y * WIDTH + x];
        sums[y] = sum;
    }
}

void y_projection(const float *in, float *sums)
{
    memset(sums, 0, WIDTH * sizeof(float));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            sums[x] += in[y * WIDTH + x];
}

int main(void)
{
    float *image = calloc(HEIGHT * WIDTH, sizeof(float)), *binary = calloc(HEIGHT * WIDTH, sizeof(float));
    float *eroded = calloc(HEIGHT * WIDTH, sizeof(float)), *variances = calloc(CANDIDATES, sizeof(float));
    float *rows = calloc(HEIGHT, sizeof(float)), *columns = calloc(WIDTH, sizeof(float));
    unsigned int counts[LEVELS] = {0};
    histogram(image, counts);
    float level = maximum(variances, CANDIDATES);
    threshold(image, binary, level);
    erode(binary, eroded);
    x_projection(eroded, rows);
    y_projection(eroded, columns);
    return rows[0] > columns[0];
}
