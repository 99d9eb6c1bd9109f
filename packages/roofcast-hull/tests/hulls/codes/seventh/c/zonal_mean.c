/* Zonal means of a 1-degree temperature field and the departures from them (eddy part).
   By hand: NLON sums and a division a latitude; one subtraction a cell. */
#include <stdio.h>
#include <stdlib.h>

#define NLAT 181
#define NLON 360

void zonal_anomaly(float t[NLAT][NLON], float zonal[NLAT], float eddy[NLAT][NLON])
{
    for (int j = 0; j < NLAT; j++) {
        float s = 0.0f;
        for (int i = 0; i < NLON; i++)
            s += t[j][i];
        zonal[j] = s / NLON;
    }

    for (int j = 0; j < NLAT; j++)
        for (int i = 0; i < NLON; i++)
            eddy[j][i] = t[j][i] - zonal[j];
}

static float T[NLAT][NLON], E[NLAT][NLON], Z[NLAT];

int main(void)
{
    for (int j = 0; j < NLAT; j++)
        for (int i = 0; i < NLON; i++)
            T[j][i] = 288.0f - 0.005f * (j - 90) * (j - 90) + 0.1f * (i % 17);
    zonal_anomaly(T, Z, E);
    printf("equator %.3f K, eddy %.3f K\n", Z[90], E[90][0]);
    return 0;
}
