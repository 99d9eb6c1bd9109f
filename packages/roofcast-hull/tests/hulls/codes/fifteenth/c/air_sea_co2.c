/* air-sea exchange of CO2 by a wind-speed-squared transfer velocity, and the uptake of the whole ocean */
#include <math.h>
#include <stdio.h>

#define NLAT 180
#define NLON 360
#define CELLS (NLAT * NLON)

#define SCHMIDT(t) (2116.8 + (t) * (-136.25 + (t) * (4.7353 + (t) * (-0.092307 + (t) * 0.0007555))))

static double sst[CELLS], wind[CELLS], k0[CELLS], pco2w[CELLS], pco2a[CELLS], ice[CELLS], flux[CELLS], area[NLAT];

void gas_flux(void)
{
    for (int i = 0; i < CELLS; i++) {
        double k = 0.251 * wind[i] * wind[i] * sqrt(660.0 / SCHMIDT(sst[i]));
        flux[i] = k * k0[i] * (pco2w[i] - pco2a[i]) * (1.0 - ice[i]);
    }
}

double uptake(void)
{
    double total = 0.0;
    for (int j = 0; j < NLAT; j++)
        for (int i = 0; i < NLON; i++)
            total += flux[j * NLON + i] * area[j];
    return total;
}

int main(void)
{
    for (int j = 0; j < NLAT; j++) {
        area[j] = cos((j - 89.5) * 0.0174533);
        for (int i = 0; i < NLON; i++) {
            int c = j * NLON + i;
            sst[c] = 28.0 * area[j];
            wind[c] = 7.0 + 0.01 * i;
            k0[c] = 0.03;
            pco2w[c] = 380 + j % 9;
            pco2a[c] = 400;
            ice[c] = j < 20 ? 0.8 : 0.0;
        }
    }
    gas_flux();
    printf("%f\n", uptake());
    return 0;
}
