import numpy as np


def heat(steps=5):
    n = 200
    u = np.zeros((n, n))
    v = np.zeros((n, n))
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        u, v = v, u
    return u
