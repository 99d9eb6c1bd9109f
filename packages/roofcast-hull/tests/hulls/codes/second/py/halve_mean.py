"""Means of 2 x 2 by reshaping."""

import numpy as np


def halve(x):
    rows, cols = x.shape
    return x.reshape(rows // 2, 2, cols // 2, 2).mean(axis=(1, 3))


if __name__ == "__main__":
    print(halve(np.zeros((1024, 1024))).shape)
