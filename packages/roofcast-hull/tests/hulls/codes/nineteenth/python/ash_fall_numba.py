"""Ash on the ground under a handful of puffs."""
import math

import numpy as np
from numba import njit, prange

NX, NY, PUFFS = 300, 200, 40


@njit(parallel=True, fastmath=True)
def deposit(gx, gy, sx, sy, mass, shape, out):
    for i in prange(gy.shape[0]):
        for j in range(gx.shape[0]):
            acc = 0.0
            for k in range(sx.shape[0]):
                dx = gx[j] - sx[k]
                dy = gy[i] - sy[k]
                acc += mass[k] * math.exp((dx * dx + dy * dy) * shape[k])
            out[i, j] = acc


def main():
    rng = np.random.default_rng(17)
    gx = np.linspace(0.0, 30.0, NX)
    gy = np.linspace(0.0, 20.0, NY)
    sx = rng.uniform(5, 25, PUFFS)
    sy = rng.uniform(5, 15, PUFFS)
    mass = rng.uniform(1, 9, PUFFS)
    shape = -0.5 / rng.uniform(0.5, 3.0, PUFFS) ** 2
    out = np.zeros((NY, NX))
    deposit(gx, gy, sx, sy, mass, shape, out)
    print(out.max())


if __name__ == "__main__":
    main()
