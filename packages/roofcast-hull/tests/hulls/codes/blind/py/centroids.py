import numpy as np


def assign():
    rng = np.random.default_rng(1)
    x = rng.random((5000, 8))
    c = rng.random((20, 8))
    labels = np.zeros(5000, dtype=np.int32)
    for i in range(5000):
        best = 1e30
        for k in range(20):
            d = 0.0
            for f in range(8):
                d += (x[i, f] - c[k, f]) * (x[i, f] - c[k, f])
            if d < best:
                best = d
                labels[i] = k
    return labels


def distances():
    x = np.random.rand(5000, 8)
    c = np.random.rand(20, 8)
    return ((x[:, None, :] - c[None, :, :]) ** 2).sum(axis=2)
