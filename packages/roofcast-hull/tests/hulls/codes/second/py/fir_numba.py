"""A filter of 32 taps."""

import numba as nb
import numpy as np


@nb.njit
def fir(x, h, y):
    for i in range(len(y)):
        acc = np.float32(0.0)
        for k in range(len(h)):
            acc += h[k] * x[i + k]
        y[i] = acc


if __name__ == "__main__":
    x = np.zeros(500031, dtype=np.float32)
    h = np.ones(32, dtype=np.float32)
    y = np.zeros(500000, dtype=np.float32)
    fir(x, h, y)
