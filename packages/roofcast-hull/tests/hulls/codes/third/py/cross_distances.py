import numpy as np


def cross_distances(a, b):
    """Squared distances between all points of a and all points of b."""
    diff = a[:, None, :] - b[None, :, :]
    return (diff**2).sum(axis=-1)


if __name__ == "__main__":
    a = np.random.rand(1200, 3)
    b = np.random.rand(900, 3)
    d = cross_distances(a, b)
    print(d.min())
