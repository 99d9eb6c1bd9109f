/* Half-kick / drift of a molecular dynamics mini-app, array of structures.
 * Counted with a self-counting number at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NATOMS 200000
#define BOX 42.0

typedef struct { double x, y, z; } vec3;
typedef struct {
    vec3 r, v;
    double mass;
    double pad;
} atom_t;

#define CHECK(p) do { if (!(p)) { fprintf(stderr, "out of memory at %s:%d\n", __FILE__, __LINE__); exit(1); } } while (0)

/* v += dt/2 * f/m ; r += dt * v ; periodic box */
void kick_drift(atom_t *restrict a, const vec3 *restrict f, int n, double dt)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        atom_t *p = &a[i];
        double s = 0.5 * dt / p->mass;
        p->v.x += s * f[i].x;
        p->v.y += s * f[i].y;
        p->v.z += s * f[i].z;
        p->r.x += dt * p->v.x;
        p->r.y += dt * p->v.y;
        p->r.z += dt * p->v.z;
        if (p->r.x >= BOX) p->r.x -= BOX;
        if (p->r.y >= BOX) p->r.y -= BOX;
        if (p->r.z >= BOX) p->r.z -= BOX;
    }
}

/* sum of m v^2 / 2 */
double kinetic_energy(const atom_t *a, int n)
{
    double e = 0.0;
#pragma omp parallel for reduction(+ : e)
    for (int i = 0; i < n; i++) {
        const vec3 v = a[i].v;
        e += 0.5 * a[i].mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    }
    return e;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    atom_t *atoms = calloc(NATOMS, sizeof *atoms);
    vec3 *force = calloc(NATOMS, sizeof *force);
    CHECK(atoms);
    CHECK(force);
    for (int i = 0; i < NATOMS; i++) {
        atoms[i].r.x = (i % 40) + 0.5;
        atoms[i].r.y = (i / 40 % 40) + 0.5;
        atoms[i].r.z = (i / 1600 % 40) + 0.5;
        atoms[i].v.x = 0.01 * (i % 7);
        atoms[i].mass = 1.0 + (i & 1);
        force[i].y = 0.001 * (i % 3);
    }
    for (int s = 0; s < steps; s++)
        kick_drift(atoms, force, NATOMS, 0.002);
    printf("Ekin = %.6f\n", kinetic_energy(atoms, NATOMS));
    free(atoms);
    free(force);
    return 0;
}
