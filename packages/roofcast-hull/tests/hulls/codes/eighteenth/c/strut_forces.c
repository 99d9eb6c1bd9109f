/* Space truss: axial force of each strut from the joints' displacements, and the joints' share of self weight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define JOINTS 30000
#define STRUTS 120000

struct strut { int a, b; double area, young; };
struct vec { double x, y, z; };

static struct strut strut[STRUTS];
static struct vec place[JOINTS], shift[JOINTS];
static double force[STRUTS], load[JOINTS];

void axial_forces(void)
{
    for (int e = 0; e < STRUTS; e++) {
        const struct strut *s = &strut[e];
        const struct vec *pa = &place[s->a], *pb = &place[s->b];
        const struct vec *ua = &shift[s->a], *ub = &shift[s->b];
        double lx = pb->x - pa->x, ly = pb->y - pa->y, lz = pb->z - pa->z;
        double len2 = lx * lx + ly * ly + lz * lz;
        double stretch = lx * (ub->x - ua->x) + ly * (ub->y - ua->y) + lz * (ub->z - ua->z);
        force[e] = s->young * s->area * stretch / (len2 + 1e-9);
    }
}

void weight_on_joints(double rho_g)
{
    for (int j = 0; j < JOINTS; j++)
        load[j] = 0.0;
    for (int e = 0; e < STRUTS; e++) {
        double w = 0.5 * rho_g * strut[e].area;
        load[strut[e].a] += w;
        load[strut[e].b] += w;
    }
}

int main(void)
{
    for (int j = 0; j < JOINTS; j++) {
        place[j] = (struct vec){ j % 100, j / 100 % 30, j / 3000 };
        shift[j] = (struct vec){ 1e-3 * (rand() % 100), 0.0, 1e-3 * (rand() % 50) };
    }
    for (int e = 0; e < STRUTS; e++)
        strut[e] = (struct strut){ rand() % JOINTS, rand() % JOINTS, 1e-3 + 1e-6 * (e % 7), 2.1e11 };
    axial_forces();
    weight_on_joints(7850.0 * 9.81);
    printf("%g %g\n", force[7], load[12]);
    return 0;
}
