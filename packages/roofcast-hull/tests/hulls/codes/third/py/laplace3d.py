# seven-point Laplacian in 3D, slices only
import numpy as np


def laplace(f, out, h2):
    out[1:-1, 1:-1, 1:-1] = (
        f[2:, 1:-1, 1:-1]
        + f[:-2, 1:-1, 1:-1]
        + f[1:-1, 2:, 1:-1]
        + f[1:-1, :-2, 1:-1]
        + f[1:-1, 1:-1, 2:]
        + f[1:-1, 1:-1, :-2]
        - 6.0 * f[1:-1, 1:-1, 1:-1]
    ) / h2


n = 160
f = np.zeros((n, n, n), dtype=np.float32)
g = np.zeros_like(f)
laplace(f, g, 0.01)
