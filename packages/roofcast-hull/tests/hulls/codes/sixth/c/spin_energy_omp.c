// Energy and magnetisation of a 2D spin lattice, periodic, OpenMP reductions.
//   gcc -O2 -fopenmp spin_energy_omp.c
// Checked: compiles with and without -fopenmp; all up gives -2J - h for each site; operations by hand.
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define L 360

typedef signed char spin_t;

static spin_t lattice[L * L];

double energy(const spin_t *s, double J, double h)
{
    double e = 0.0;
#pragma omp parallel for reduction(+:e) schedule(static)
    for (int y = 0; y < L; y++) {
        int down = (y + 1) % L;
        for (int x = 0; x < L; x++) {
            int right = (x + 1) % L;
            int me = s[y * L + x];
            int pair = s[y * L + right] + s[down * L + x];
            e -= J * me * pair + h * me;
        }
    }
    return e;
}

long magnetisation(const spin_t *s)
{
    long m = 0;
#pragma omp parallel for simd reduction(+:m)
    for (int i = 0; i < L * L; i++)
        m += s[i];
    return m;
}

int main(void)
{
    unsigned r = 12345u;
    for (int i = 0; i < L * L; i++) {
        r = r * 1664525u + 1013904223u;
        lattice[i] = (r >> 31) ? 1 : -1;
    }
    printf("E/site = %f\n", energy(lattice, 1.0, 0.1) / (L * L));
    printf("M      = %ld\n", magnetisation(lattice));
    return 0;
}
