#include <math.h>
#include <stdio.h>

#define NLAT 180
#define NLON 360
#define RHO_A 1.22
#define RHO_W 1025.0

typedef double field[NLAT][NLON];
static field u10, v10, taux, tauy, we;
static double fcor[NLAT], rdx[NLAT];
static const double rdy = 4.5e-6;

void wind_stress(field u, field v, field tx, field ty)
{
    for (int j = 0; j < NLAT; ++j)
        for (int i = 0; i < NLON; ++i) {
            double spd = sqrt(u[j][i] * u[j][i] + v[j][i] * v[j][i]);
            double cd = (0.8 + 0.065 * spd) * 1e-3;
            double k = RHO_A * cd * spd;
            tx[j][i] = k * u[j][i];
            ty[j][i] = k * v[j][i];
        }
}

void pumping(field tx, field ty, field w)
{
    for (int j = 1; j < NLAT - 1; ++j)
        for (int i = 1; i < NLON - 1; ++i) {
            double curl = (ty[j][i + 1] - ty[j][i - 1]) * rdx[j] - (tx[j + 1][i] - tx[j - 1][i]) * rdy;
            w[j][i] = curl / (RHO_W * fcor[j]);
        }
}

double strongest(field w)
{
    double m = 0;
    for (int j = 0; j < NLAT; ++j)
        for (int i = 0; i < NLON; ++i)
            if (fabs(w[j][i]) > m) m = fabs(w[j][i]);
    return m;
}

int main(void)
{
    for (int j = 0; j < NLAT; ++j) {
        double lat = (j - 89.5) * M_PI / 180;
        fcor[j] = 1.458e-4 * sin(lat);
        rdx[j] = 4.5e-6 / cos(lat);
        for (int i = 0; i < NLON; ++i) {
            u10[j][i] = 8 * cos(3 * lat);
            v10[j][i] = 2 * sin(i * 0.05);
        }
    }
    wind_stress(u10, v10, taux, tauy);
    pumping(taux, tauy, we);
    printf("%g\n", strongest(we));
    return 0;
}
