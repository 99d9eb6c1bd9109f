/* Geostrophic currents from sea surface height, and eddy kinetic energy over a year of weekly maps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NT 52
#define NY 160
#define NX 360

static float ssh[NY][NX], ug[NY][NX], vg[NY][NX];
static float ut[NT][NY][NX], vt[NT][NY][NX], eke[NY][NX];
static float fcor[NY], dxm[NY];
static const float dym = 27800.0f;

static void geostrophic(void)
{
    for (int j = 1; j < NY - 1; j++) {
        for (int i = 1; i < NX - 1; i++) {
            float gf = 9.81f / fcor[j];
            ug[j][i] = -gf * (ssh[j + 1][i] - ssh[j - 1][i]) / (2.0f * dym);
            vg[j][i] = gf * (ssh[j][i + 1] - ssh[j][i - 1]) / (2.0f * dxm[j]);
        }
    }
}

static void eddy_energy(void)
{
    #pragma omp parallel for collapse(2)
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            float um = 0, vm = 0, e = 0;
            for (int t = 0; t < NT; t++) {
                um += ut[t][j][i];
                vm += vt[t][j][i];
            }
            um /= NT;
            vm /= NT;
            for (int t = 0; t < NT; t++) {
                float du = ut[t][j][i] - um, dv = vt[t][j][i] - vm;
                e += du * du + dv * dv;
            }
            eke[j][i] = 0.5f * e / NT;
        }
}

int main(void)
{
    for (int j = 0; j < NY; j++) {
        float lat = (20.0f + 0.25f * j) * 3.14159265f / 180.0f;
        fcor[j] = 1.4584e-4f * sinf(lat);
        dxm[j] = 27800.0f * cosf(lat);
    }
    for (int t = 0; t < NT; t++) {
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                ssh[j][i] = 0.3f * sinf(0.1f * i + 0.4f * t) * cosf(0.07f * j);
        geostrophic();
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                ut[t][j][i] = ug[j][i];
                vt[t][j][i] = vg[j][i];
            }
    }
    eddy_energy();
    printf("%g\n", eke[80][180]);
    return 0;
}
