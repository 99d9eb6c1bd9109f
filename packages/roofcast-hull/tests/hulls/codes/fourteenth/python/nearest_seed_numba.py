"""Discrete Voronoi cells: squared distance of each pixel to its nearest seed."""
import numpy as np
from numba import njit, prange

SIZE = 512
SEEDS = 64


@njit(parallel=True)
def nearest_seed(sx, sy, out):
    for r in prange(SIZE):
        for c in range(SIZE):
            best = 1e30
            for k in range(SEEDS):
                dx = sx[k] - c
                dy = sy[k] - r
                best = min(best, dx * dx + dy * dy)
            out[r, c] = best


if __name__ == "__main__":
    rng = np.random.default_rng(13)
    sx = rng.random(SEEDS) * SIZE
    sy = rng.random(SEEDS) * SIZE
    out = np.empty((SIZE, SIZE))
    nearest_seed(sx, sy, out)
    print(out.max())
