#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 96, NY = 128, NX = 128, HALF = 2 };
#define AT(z, y, x) (((size_t)(z) * NY + (y)) * NX + (x))

/* stored counts to standardised uptake, each slice with its own rescale slope */
static void suv_volume(const uint16_t *raw, const float *slope, const float *intercept,
                       float per_dose, float *suv)
{
    for (int z = 0; z < NZ; z++) {
        const float m = slope[z], b = intercept[z];
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                suv[AT(z, y, x)] = ((float)raw[AT(z, y, x)] * m + b) * per_dose;
    }
}

static void slab_mean(const float *suv, float *thick)
{
    for (int z = HALF; z < NZ - HALF; ++z)
        for (int y = 0; y < NY; ++y)
            for (int x = 0; x < NX; ++x) {
                float s = 0.f;
                for (int d = -HALF; d <= HALF; ++d)
                    s += suv[AT(z + d, y, x)];
                thick[AT(z - HALF, y, x)] = s * (1.f / (2 * HALF + 1));
            }
}

static void hot_voxels(const float *suv, float threshold, int *count, float *uptake)
{
#pragma omp parallel for
    for (int z = 0; z < NZ; z++) {
        const float *p = suv + AT(z, 0, 0);
        int n = 0;
        float total = 0.f;
        for (int i = 0; i < NY * NX; i++) {
            if (p[i] > threshold) {
                n++;
                total += p[i];
            }
        }
        count[z] = n;
        uptake[z] = total;
    }
}

int main(void)
{
    const size_t n = (size_t)NZ * NY * NX;
    uint16_t *raw = malloc(n * sizeof *raw);
    float *suv = malloc(n * sizeof *suv);
    float *thick = malloc((size_t)(NZ - 2 * HALF) * NY * NX * sizeof *thick);
    float slope[NZ], intercept[NZ], uptake[NZ];
    int count[NZ];
    for (size_t i = 0; i < n; i++) raw[i] = (uint16_t)((i * 2654435761u) >> 18);
    for (int z = 0; z < NZ; z++) { slope[z] = 1.f + 0.01f * z; intercept[z] = 0.5f; }
    suv_volume(raw, slope, intercept, 2e-4f, suv);
    slab_mean(suv, thick);
    hot_voxels(suv, 2.5f, count, uptake);
    printf("%f %d %f\n", thick[1000], count[4], uptake[4]);
    free(raw); free(suv); free(thick);
    return 0;
}
