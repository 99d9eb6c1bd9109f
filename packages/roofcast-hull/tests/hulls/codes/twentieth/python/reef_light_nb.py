"""Light that reaches each coral patch, from turbidity profiles above it."""
import math

import numpy as np
from numba import njit, prange

PATCHES = 50000
LAYERS = 40


@njit(inline="always")
def saturating(par, ik):
    return math.tanh(par / ik)


@njit(parallel=True, fastmath=True)
def bottom_light(kd, dz, surface, out):
    n, m = kd.shape
    for p in prange(n):
        tau = 0.0
        for l in range(m):
            tau += kd[p, l] * dz[l]
        out[p] = surface[p] * math.exp(-tau)


@njit(parallel=True)
def photosynthesis(par, ik, pmax, cover):
    n = par.size
    total = 0.0
    for p in prange(n):
        total += cover[p] * pmax * saturating(par[p], ik)
    return total


def main():
    rng = np.random.default_rng(2)
    kd = rng.uniform(0.02, 0.4, (PATCHES, LAYERS))
    dz = np.full(LAYERS, 0.5)
    surface = rng.uniform(400.0, 2000.0, PATCHES)
    par = np.empty(PATCHES)
    bottom_light(kd, dz, surface, par)
    cover = rng.random(PATCHES)
    print(photosynthesis(par, 180.0, 12.0, cover))


if __name__ == "__main__":
    main()
