"""A rank-one update."""

import numpy as np


def update(a, x, y, alpha):
    a += alpha * np.outer(x, y)


if __name__ == "__main__":
    a = np.zeros((1500, 1200))
    update(a, np.ones(1500), np.ones(1200), 0.5)
