"""Nutrient, phytoplankton, zooplankton in every cell of a lake model; light by depth."""
import math

import numpy as np
from numba import njit, prange

CELLS = 500_000
VM, KN, GRAZE, IVLEV, MP, MZ = 1.4, 0.6, 0.9, 1.1, 0.07, 0.05


@njit(parallel=True, fastmath=True)
def npz_step(n, p, z, light, dt):
    for i in prange(CELLS):
        uptake = VM * n[i] / (KN + n[i]) * light[i] * p[i]
        eaten = GRAZE * (1.0 - math.exp(-IVLEV * p[i])) * z[i]
        dead_p = MP * p[i]
        dead_z = MZ * z[i]
        n[i] += dt * (dead_p + dead_z - uptake)
        p[i] += dt * (uptake - eaten - dead_p)
        z[i] += dt * (eaten - dead_z)


@njit
def biomass(p, z):
    total = 0.0
    for i in range(p.size):
        total += p[i] + z[i]
    return total


def main():
    rng = np.random.default_rng(1)
    n = rng.uniform(1.0, 6.0, CELLS)
    p = rng.uniform(0.1, 0.9, CELLS)
    z = rng.uniform(0.1, 0.5, CELLS)
    light = np.exp(-0.2 * rng.uniform(0.0, 20.0, CELLS))
    for _ in range(50):
        npz_step(n, p, z, light, 0.01)
    print(biomass(p, z))


if __name__ == "__main__":
    main()
