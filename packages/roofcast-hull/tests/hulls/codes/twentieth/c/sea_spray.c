#include <math.h>
#include <stdio.h>
#include <stdlib.h>
/* Sea salt emission on the model's lat-lon grid, and its monthly budget. */
#define NLAT 360
#define NLON 720
#define NHOUR 48

typedef float field[NLAT][NLON];

void emission(field u10, field sst, field ice, field flux)
{
    #pragma omp parallel for collapse(2)
    for (int j = 0; j < NLAT; j++)
        for (int i = 0; i < NLON; i++) {
            float t = sst[j][i] - 273.15f;
            float poly = 0.3f + t * (0.1f + t * (-0.0076f + t * 0.00021f));
            flux[j][i] = (1.0f - ice[j][i]) * poly * powf(u10[j][i], 3.41f);
        }
}

void zonal_budget(field flux, const float *area, double *zone)
{
    for (int j = 0; j < NLAT; j++) {
        double s = 0;
        for (int i = 0; i < NLON; i++)
            s += flux[j][i];
        zone[j] = s * area[j];
    }
}

void windiest(float (*hourly)[NLAT][NLON], field peak)
{
    for (int j = 0; j < NLAT; j++)
        for (int i = 0; i < NLON; i++) {
            float m = hourly[0][j][i];
            for (int h = 1; h < NHOUR; h++)
                m = fmaxf(m, hourly[h][j][i]);
            peak[j][i] = m;
        }
}

int main(void)
{
    float (*hourly)[NLAT][NLON] = malloc(sizeof(float[NHOUR][NLAT][NLON]));
    float (*u)[NLON] = malloc(sizeof(field)), (*sst)[NLON] = malloc(sizeof(field));
    float (*ice)[NLON] = calloc(NLAT, sizeof *ice), (*fl)[NLON] = malloc(sizeof(field));
    float area[NLAT];
    double zone[NLAT];
    for (int h = 0; h < NHOUR; h++)
        for (int j = 0; j < NLAT; j++)
            for (int i = 0; i < NLON; i++)
                hourly[h][j][i] = (h * 37 + j * 11 + i) % 23;
    for (int j = 0; j < NLAT; j++) {
        area[j] = cosf((j - 180) * 0.00872f);
        for (int i = 0; i < NLON; i++) sst[j][i] = 271.0f + 0.08f * j;
    }
    windiest(hourly, u);
    emission(u, sst, ice, fl);
    zonal_budget(fl, area, zone);
    printf("%g\n", zone[200]);
    free(hourly); free(u); free(sst); free(ice); free(fl);
    return 0;
}
