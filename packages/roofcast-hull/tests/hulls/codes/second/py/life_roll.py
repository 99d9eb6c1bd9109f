"""Life on a torus."""

import numpy as np


def generation(x):
    n = (
        np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1)
        + np.roll(np.roll(x, 1, 0), 1, 1) + np.roll(np.roll(x, 1, 0), -1, 1)
        + np.roll(np.roll(x, -1, 0), 1, 1) + np.roll(np.roll(x, -1, 0), -1, 1)
    )
    return ((n == 3) | ((n == 2) & (x == 1))).astype(np.uint8)


if __name__ == "__main__":
    board = np.zeros((600, 800), dtype=np.uint8)
    for _ in range(10):
        board = generation(board)
