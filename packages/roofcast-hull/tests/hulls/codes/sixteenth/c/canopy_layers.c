/* Crop model: light through the layers of a canopy, and what the plots grow from it in a day. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLOTS  40000
#define LAYERS 12

typedef struct {
    float extinction;       /* of diffuse light, per unit of leaf area, negative */
    float efficiency;       /* g per MJ */
    float saturation;       /* MJ per day */
} crop;

static void intercept(const crop *k, const float *par, const float (*lai)[LAYERS], float (*caught)[LAYERS])
{
#pragma omp parallel for
    for (int p = 0; p < PLOTS; p++) {
        float light = par[p];
        for (int l = 0; l < LAYERS; l++) {
            float here = light * (1.0f - expf(k->extinction * lai[p][l]));
            caught[p][l] = here;
            light -= here;
        }
    }
}

static void grow(const crop *k, const float (*caught)[LAYERS], const float *stress, float *biomass)
{
    for (int p = 0; p < PLOTS; p++) {
        float sum = 0.0f;
        for (int l = 0; l < LAYERS; l++)
            sum += caught[p][l];
        biomass[p] += k->efficiency * fminf(sum, k->saturation) * stress[p];
    }
}

int main(void)
{
    const crop maize = {.extinction = -0.55f, .efficiency = 3.4f, .saturation = 11.0f};
    float *par = malloc(sizeof(float) * PLOTS);
    float *stress = malloc(sizeof(float) * PLOTS), *mass = calloc(PLOTS, sizeof(float));
    float (*lai)[LAYERS] = malloc(sizeof(float[PLOTS][LAYERS]));
    float (*caught)[LAYERS] = malloc(sizeof(float[PLOTS][LAYERS]));
    for (int p = 0; p < PLOTS; p++) {
        par[p] = 6.0f + 0.001f * (float)(p % 6000);
        stress[p] = 0.3f + 0.01f * (float)(p % 70);
        for (int l = 0; l < LAYERS; l++)
            lai[p][l] = 0.1f * (float)((p + l) % 7);
    }
    intercept(&maize, par, (const float (*)[LAYERS])lai, caught);
    grow(&maize, (const float (*)[LAYERS])caught, stress, mass);
    printf("%g %g\n", caught[5][3], mass[5]);
    free(par); free(stress); free(mass); free(lai); free(caught);
    return 0;
}
