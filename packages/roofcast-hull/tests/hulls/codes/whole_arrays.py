"""Arrays as people write them in Python, whose numbers are doubles where nothing else is said."""

import numpy as np


def leapfrog(x: "float64[100000]", v: "float64[100000]", a: "float64[100000]"):
    v += 0.01 * a
    x += 0.01 * v


def softplus(x: "float32[65536]", y: "float32[65536]"):
    y[:] = np.log(1.0 + np.exp(x))


def matrix_product(a: "float32[256, 512]", b: "float32[512, 128]"):
    return a @ b


def row_norms(x: "float64[1024, 256]"):
    return np.sqrt((x * x).sum(axis=1))


def life(grid: "float32[512, 512]", out: "float32[512, 512]"):
    for i in range(1, 511):
        for j in range(1, 511):
            s = 0.0
            for k in range(-1, 2):
                for m in range(-1, 2):
                    s += grid[i + k, j + m]
            out[i, j] = s - grid[i, j]
