/* Staggered-grid hydro mini-app (logically rectangular): zone volumes, nodal acceleration, node motion.
 * Self-counted at full size. */
#include <stdio.h>
#include <stdlib.h>

#define KMAX 600 /* nodes in y */
#define LMAX 800 /* nodes in x */
#define ZK (KMAX - 1)
#define ZL (LMAX - 1)
#define NODE(k, l) ((k) * LMAX + (l))
#define ZONE(k, l) ((k) * ZL + (l))

/* area of each quadrilateral zone from its four corners */
void zone_areas(const double *restrict x, const double *restrict y, double *restrict area)
{
    for (int k = 0; k < ZK; k++)
        for (int l = 0; l < ZL; l++) {
            double ax = x[NODE(k + 1, l + 1)] - x[NODE(k, l)];
            double ay = y[NODE(k + 1, l + 1)] - y[NODE(k, l)];
            double bx = x[NODE(k + 1, l)] - x[NODE(k, l + 1)];
            double by = y[NODE(k + 1, l)] - y[NODE(k, l + 1)];
            area[ZONE(k, l)] = 0.5 * (ax * by - ay * bx);
        }
}

/* interior nodes: velocity from the pressure differences of the four zones around */
void accelerate(double *restrict u, double *restrict v, const double *restrict p, const double *restrict mass, double dt)
{
#pragma omp parallel for collapse(2)
    for (int k = 1; k < KMAX - 1; k++)
        for (int l = 1; l < LMAX - 1; l++) {
            double p00 = p[ZONE(k - 1, l - 1)], p01 = p[ZONE(k - 1, l)];
            double p10 = p[ZONE(k, l - 1)], p11 = p[ZONE(k, l)];
            double m = mass[NODE(k, l)];
            u[NODE(k, l)] += dt * (p00 + p10 - p01 - p11) / m;
            v[NODE(k, l)] += dt * (p00 + p01 - p10 - p11) / m;
        }
}

void move_nodes(double *x, double *y, const double *u, const double *v, double dt)
{
    for (int n = 0; n < KMAX * LMAX; n++) {
        x[n] += dt * u[n];
        y[n] += dt * v[n];
    }
}

static double *alloc(size_t n)
{
    double *p = calloc(n, sizeof(double));
    if (!p) {
        perror("calloc");
        exit(EXIT_FAILURE);
    }
    return p;
}

int main(void)
{
    double *x = alloc(KMAX * LMAX), *y = alloc(KMAX * LMAX), *u = alloc(KMAX * LMAX), *v = alloc(KMAX * LMAX);
    double *mass = alloc(KMAX * LMAX), *p = alloc(ZK * ZL), *area = alloc(ZK * ZL);
    for (int k = 0; k < KMAX; k++)
        for (int l = 0; l < LMAX; l++) {
            x[NODE(k, l)] = l * 0.01;
            y[NODE(k, l)] = k * 0.01;
            mass[NODE(k, l)] = 1.0;
        }
    for (int z = 0; z < ZK * ZL; z++)
        p[z] = 1.0 / (1.0 + z % 50);
    for (int step = 0; step < 3; step++) {
        accelerate(u, v, p, mass, 1e-4);
        move_nodes(x, y, u, v, 1e-4);
        zone_areas(x, y, area);
    }
    printf("area %.12f\n", area[ZONE(ZK / 2, ZL / 2)]);
    free(x); free(y); free(u); free(v); free(mass); free(p); free(area);
    return 0;
}
