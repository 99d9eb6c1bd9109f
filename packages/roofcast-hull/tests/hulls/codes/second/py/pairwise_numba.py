"""Distances between all pairs of points."""

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def pairwise(points, out):
    m = points.shape[0]
    n = points.shape[1]
    for i in prange(m):
        for j in range(m):
            d = 0.0
            for k in range(n):
                t = points[i, k] - points[j, k]
                d += t * t
            out[i, j] = np.sqrt(d)


if __name__ == "__main__":
    points = np.random.random((1000, 3))
    out = np.empty((1000, 1000))
    pairwise(points, out)
