/* WGS84 geodetic -> earth centred coordinates for a structure of arrays.
 * Checked: compiles; (0,0,0) -> (a,0,0); 16 operations a point with self-counting numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WGS84_A   6378137.0
#define WGS84_E2  6.69437999014e-3
#define NPOINTS   15000

struct points {
    size_t  n;
    double *lat, *lon, *alt;    /* rad, rad, m */
    double *x, *y, *z;          /* m */
};

static double *vec(size_t n)
{
    double *p = malloc(n * sizeof(double));
    if (!p) { fprintf(stderr, "out of memory\n"); exit(1); }
    return p;
}

void to_ecef(struct points *pt)
{
    const double ratio = 1.0 - WGS84_E2;
    for (size_t i = 0; i < pt->n; i++) {
        double slat = sin(pt->lat[i]);
        double clat = cos(pt->lat[i]);
        double nu = WGS84_A / sqrt(1.0 - WGS84_E2 * slat * slat);
        double r = (nu + pt->alt[i]) * clat;
        pt->x[i] = r * cos(pt->lon[i]);
        pt->y[i] = r * sin(pt->lon[i]);
        pt->z[i] = (nu * ratio + pt->alt[i]) * slat;
    }
}

int main(void)
{
    struct points p = { .n = NPOINTS };
    p.lat = vec(p.n); p.lon = vec(p.n); p.alt = vec(p.n);
    p.x = vec(p.n); p.y = vec(p.n); p.z = vec(p.n);
    for (size_t i = 0; i < p.n; i++) {
        p.lat[i] = 1.5 * sin(0.001 * i);
        p.lon[i] = 0.0004 * i;
        p.alt[i] = (double)(i % 900);
    }
    to_ecef(&p);
    printf("%.3f %.3f %.3f\n", p.x[0], p.y[0], p.z[0]);
    printf("%.3f %.3f %.3f\n", p.x[p.n - 1], p.y[p.n - 1], p.z[p.n - 1]);
    return 0;
}
