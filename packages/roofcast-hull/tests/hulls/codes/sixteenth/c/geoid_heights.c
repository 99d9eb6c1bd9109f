/* Levelled heights from GNSS heights, arcs of the meridian, and distances on the ellipsoid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NLAT 181
#define NLON 361
#define NPT  100000
#define RAD  0.017453292519943295

static float undulation[NLAT * NLON];        /* one degree, from the north pole, from 180 W */
static double lat[NPT], lon[NPT], ell[NPT], ortho[NPT], arc[NPT], dist[NPT];

void orthometric(void)
{
    for (int i = 0; i < NPT; i++) {
        double r = 90.0 - lat[i];
        double c = lon[i] + 180.0;
        int ir = (int)r, ic = (int)c;
        double fr = r - ir, fc = c - ic;
        const float *g = undulation + ir * NLON + ic;
        double top = g[0] + fc * (g[1] - g[0]);
        double bot = g[NLON] + fc * (g[NLON + 1] - g[NLON]);
        ortho[i] = ell[i] - (top + fr * (bot - top));
    }
}

void meridian_arc(double a, double e2)
{
    const double e4 = e2 * e2, e6 = e4 * e2;
    const double A0 = 1.0 - e2 / 4.0 - 3.0 * e4 / 64.0 - 5.0 * e6 / 256.0;
    const double A2 = 3.0 / 8.0 * (e2 + e4 / 4.0 + 15.0 * e6 / 128.0);
    const double A4 = 15.0 / 256.0 * (e4 + 3.0 * e6 / 4.0);
    const double A6 = 35.0 * e6 / 3072.0;
    for (int i = 0; i < NPT; i++) {
        double phi = lat[i] * RAD;
        arc[i] = a * (A0 * phi - A2 * sin(2.0 * phi) + A4 * sin(4.0 * phi) - A6 * sin(6.0 * phi));
    }
}

void vincenty_from(double lat0, double lon0)
{
    const double f = 1.0 / 298.257223563, b = 6356752.314245;
    const double u1 = atan((1.0 - f) * tan(lat0 * RAD));
    const double s1 = sin(u1), c1 = cos(u1);
    for (int i = 0; i < NPT; i++) {
        double u2 = atan((1.0 - f) * tan(lat[i] * RAD));
        double s2 = sin(u2), c2 = cos(u2);
        double L = (lon[i] - lon0) * RAD, lam = L, prev, sig;
        do {
            double x = c2 * sin(lam), y = c1 * s2 - s1 * c2 * cos(lam);
            double ss = sqrt(x * x + y * y), cs = s1 * s2 + c1 * c2 * cos(lam);
            sig = atan2(ss, cs);
            double sa = c1 * c2 * sin(lam) / (ss + 1e-300);
            double ca2 = 1.0 - sa * sa;
            double C = f / 16.0 * ca2 * (4.0 + f * (4.0 - 3.0 * ca2));
            prev = lam;
            lam = L + (1.0 - C) * f * sa * sig;
        } while (fabs(lam - prev) > 1e-11);
        dist[i] = b * sig;
    }
}

int main(void)
{
    for (int i = 0; i < NLAT * NLON; i++)
        undulation[i] = 30.0f * sinf(0.01f * (float)i);
    for (int i = 0; i < NPT; i++) {
        lat[i] = -60.0 + 0.0012 * i;
        lon[i] = -170.0 + (double)((i * 37L) % 100000) * 0.003;
        ell[i] = 100.0 + i % 900;
    }
    orthometric();
    meridian_arc(6378137.0, 0.00669437999014);
    vincenty_from(52.0, 13.0);
    printf("%f %f %f\n", ortho[7], arc[7], dist[7]);
    return 0;
}
