"""Local spatial autocorrelation of a raster (Moran's I, queen contiguity)."""
import numpy as np
from numba import njit, prange

ROWS, COLS = 900, 1100


@njit(parallel=True)
def squared_deviations(v, mean):
    acc = 0.0
    for i in prange(ROWS):
        for j in range(COLS):
            dev = v[i, j] - mean
            acc += dev * dev
    return acc


@njit(parallel=True, fastmath=True)
def local_moran(z, out):
    for i in prange(1, ROWS - 1):
        for j in range(1, COLS - 1):
            lag = 0.0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di == 0 and dj == 0:
                        continue
                    lag += z[i + di, j + dj]
            out[i, j] = z[i, j] * lag / 8.0


if __name__ == "__main__":
    v = np.random.default_rng(77).normal(size=(ROWS, COLS))
    ss = squared_deviations(v, v.mean())
    z = (v - v.mean()) / np.sqrt(ss / v.size)
    out = np.zeros((ROWS, COLS))
    local_moran(z, out)
    print(out.mean())
