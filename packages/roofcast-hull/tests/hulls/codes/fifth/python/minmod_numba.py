"""Limited slopes (minmod) of the cells of many rows, as a MUSCL scheme wants them."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def minmod_slopes(u, slope):
    rows, n = u.shape
    for i in prange(rows):
        for j in range(1, n - 1):
            a = u[i, j] - u[i, j - 1]
            b = u[i, j + 1] - u[i, j]
            s = 0.0
            if a * b > 0.0:
                if abs(a) < abs(b):
                    s = a
                else:
                    s = b
            slope[i, j] = s


if __name__ == "__main__":
    u = np.cumsum(np.random.default_rng(13).normal(size=(1000, 2000)), axis=1)
    slope = np.zeros((1000, 2000))
    minmod_slopes(u, slope)
    print((slope == 0).mean())
