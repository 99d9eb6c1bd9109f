/* Dose of implanted iodine seeds on a voxel grid (point-source form), and its differential volume histogram. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { float x, y, z, strength; } seed_t;

#define NSEED 40
#define GRID 64
#define BINS 200

static seed_t seeds[NSEED];
static float dose[GRID * GRID * GRID];
static unsigned dvh[BINS];

static void seed_dose_grid(float pitch, float mu)
{
#pragma omp parallel for collapse(3)
    for (int k = 0; k < GRID; k++)
        for (int j = 0; j < GRID; j++)
            for (int i = 0; i < GRID; i++) {
                float sum = 0.f;
                const float x = i * pitch, y = j * pitch, z = k * pitch;
                for (const seed_t *s = seeds; s < seeds + NSEED; s++) {
                    float dx = x - s->x, dy = y - s->y, dz = z - s->z;
                    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
                    sum += s->strength * expf(-mu * sqrtf(r2)) / r2;
                }
                dose[(k * GRID + j) * GRID + i] = sum;
            }
}

static void volume_histogram(float per_bin)
{
    for (int b = 0; b < BINS; b++)
        dvh[b] = 0;
    for (int v = 0; v < GRID * GRID * GRID; v++) {
        int b = (int)(dose[v] / per_bin);
        if (b >= BINS)
            b = BINS - 1;
        dvh[b]++;
    }
}

int main(void)
{
    for (int n = 0; n < NSEED; n++) {
        seeds[n].x = 1.f + 0.1f * (rand() % 50);
        seeds[n].y = 1.f + 0.1f * (rand() % 50);
        seeds[n].z = 1.f + 0.1f * (rand() % 50);
        seeds[n].strength = 0.5f;
    }
    seed_dose_grid(0.1f, 0.3f);
    volume_histogram(0.5f);
    printf("%u %u\n", dvh[0], dvh[40]);
    return 0;
}
