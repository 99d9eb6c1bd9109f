import numpy as np

B, H, S, D = 2, 8, 128, 64


def scores():
    q = np.zeros((B, H, S, D), dtype=np.float32)
    k = np.zeros((B, H, S, D), dtype=np.float32)
    return np.einsum("bhqd,bhkd->bhqk", q, k)


def mix():
    p = np.zeros((B, H, S, S), dtype=np.float32)
    v = np.zeros((B, H, S, D), dtype=np.float32)
    return np.einsum("bhqk,bhkd->bhqd", p, v)


def traces():
    m = np.ones((50, 40, 40))
    return np.einsum("bij,bij->b", m, m)
