#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Magnetic field of a coil that is made of short straight pieces of wire, at many points. */

typedef struct { double x, y, z; } vec3;

#define NPOINTS 3000
#define NPIECES 2000
#define SOFT2 1e-12

void field(const vec3 *where, const vec3 *middle, const vec3 *piece, vec3 *b, int points, int pieces, double scale)
{
    #pragma omp parallel for
    for (int p = 0; p < points; p++) {
        vec3 sum = {0.0, 0.0, 0.0};
        for (int s = 0; s < pieces; s++) {
            double rx = where[p].x - middle[s].x;
            double ry = where[p].y - middle[s].y;
            double rz = where[p].z - middle[s].z;
            double r2 = rx * rx + ry * ry + rz * rz + SOFT2;
            double inv3 = 1.0 / (r2 * sqrt(r2));
            sum.x += (piece[s].y * rz - piece[s].z * ry) * inv3;
            sum.y += (piece[s].z * rx - piece[s].x * rz) * inv3;
            sum.z += (piece[s].x * ry - piece[s].y * rx) * inv3;
        }
        b[p].x = scale * sum.x;
        b[p].y = scale * sum.y;
        b[p].z = scale * sum.z;
    }
}

int main(void)
{
    vec3 *where = malloc(NPOINTS * sizeof(vec3));
    vec3 *b = malloc(NPOINTS * sizeof(vec3));
    vec3 *middle = malloc(NPIECES * sizeof(vec3));
    vec3 *piece = malloc(NPIECES * sizeof(vec3));
    const double turn = 2.0 * M_PI / NPIECES;
    for (int s = 0; s < NPIECES; s++) {
        double phi = (s + 0.5) * turn;
        middle[s].x = cos(phi);
        middle[s].y = sin(phi);
        middle[s].z = 0.0;
        piece[s].x = -sin(phi) * turn;
        piece[s].y = cos(phi) * turn;
        piece[s].z = 0.0;
    }
    for (int p = 0; p < NPOINTS; p++) {
        where[p].x = 0.0;
        where[p].y = 0.0;
        where[p].z = 0.001 * p;
    }
    field(where, middle, piece, b, NPOINTS, NPIECES, 1e-7);
    /* mu0 I / 2 R in the middle of a loop */
    printf("%.9e, should be %.9e\n", b[0].z, 4e-7 * M_PI / 2.0);
    free(where);
    free(b);
    free(middle);
    free(piece);
    return 0;
}
