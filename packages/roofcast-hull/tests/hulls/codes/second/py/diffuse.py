"""Diffusion by slices."""

import numpy as np


def step(u, k):
    new = u.copy()
    new[1:-1, 1:-1] = u[1:-1, 1:-1] + k * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )
    return new


if __name__ == "__main__":
    field = np.zeros((1000, 1000))
    for _ in range(100):
        field = step(field, 0.1)
