import numpy as np


def pi():
    rng = np.random.default_rng(7)
    x = rng.random(1000000)
    y = rng.random(1000000)
    inside = np.sum(x * x + y * y <= 1.0)
    return 4.0 * inside / 1000000


def take_rows():
    table = np.zeros((32000, 256), dtype=np.float32)
    ids = np.random.randint(0, 32000, size=2048)
    return table[ids]
