"""Cross products of two tables."""

import numpy as np


def cross(a, b):
    return a.T @ b


if __name__ == "__main__":
    a = np.random.rand(500, 300)
    b = np.random.rand(500, 400)
    print(cross(a, b).sum())
