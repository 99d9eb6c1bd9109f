/* One product of the Hamiltonian of a transverse-field Ising ring with a state of 2^14 amplitudes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SITES 14
#define DIM (1 << SITES)

static double psi[DIM], hpsi[DIM], zz[DIM];

/* sum of sigma_z sigma_z over the bonds, once for all */
static void bond_diagonal(void)
{
    for (int s = 0; s < DIM; s++) {
        int turned = (s >> 1) | ((s & 1) << (SITES - 1));
        zz[s] = SITES - 2 * __builtin_popcount(s ^ turned);
    }
}

static void apply_hamiltonian(double coupling, double field)
{
    #pragma omp parallel for
    for (int s = 0; s < DIM; s++) {
        double flip = 0.0;
        for (int k = 0; k < SITES; k++)
            flip += psi[s ^ (1 << k)];
        hpsi[s] = -coupling * zz[s] * psi[s] - field * flip;
    }
}

int main(void)
{
    bond_diagonal();
    for (int s = 0; s < DIM; s++)
        psi[s] = 1.0 / sqrt(DIM);
    apply_hamiltonian(1.0, 0.7);
    printf("%g\n", hpsi[123]);
    return 0;
}
