import numpy as np


def matvec():
    a = np.random.rand(1500, 1500)
    v = np.ones(1500)
    return a @ v


def norm():
    v = np.random.rand(200000)
    return np.sqrt((v * v).sum())


def column_stats():
    t = np.random.rand(20000, 30)
    lo = t.min(axis=0)
    hi = t.max(axis=0)
    return lo, hi
