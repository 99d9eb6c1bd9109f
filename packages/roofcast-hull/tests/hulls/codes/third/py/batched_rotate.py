"""A matrix of its own for each of many vectors."""

import numpy as np


def rotate(matrices, vectors):
    return np.einsum("bij,bj->bi", matrices, vectors)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    m = rng.standard_normal((512, 48, 64))
    v = rng.standard_normal((512, 64))
    print(rotate(m, v).sum())
