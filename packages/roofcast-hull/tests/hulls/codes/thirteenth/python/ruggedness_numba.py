"""Terrain ruggedness index: root of the squared steps to the eight neighbours."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def ruggedness(z, out):
    rows, cols = out.shape
    for y in prange(rows):
        for x in range(cols):
            mid = z[y + 1, x + 1]
            acc = np.float32(0.0)
            for dy in range(3):
                for dx in range(3):
                    step = z[y + dy, x + dx] - mid
                    acc += step * step
            out[y, x] = np.sqrt(acc)


z = np.random.default_rng(0).random((1002, 1502)).astype(np.float32)
out = np.empty((1000, 1500), dtype=np.float32)
ruggedness(z, out)
print(out.mean())
