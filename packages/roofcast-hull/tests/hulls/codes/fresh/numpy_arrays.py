"""Whole arrays in scripts; a function makes what it works on."""

import numpy as np


def laplacian():
    u = np.random.rand(1024, 1024)
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return out


def standardise():
    x = np.random.rand(10000, 64)
    m = x.mean(axis=0)
    s = np.sqrt(((x - m) ** 2).mean(axis=0))
    z = (x - m) / s
    return z


def pairwise():
    rng = np.random.default_rng(0)
    x = rng.random((512, 16))
    y = rng.random((1024, 16))
    d = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1)
    return d


def batched_products():
    a = np.ones((32, 64, 64))
    b = np.ones((32, 64, 64))
    return np.einsum("bij,bjk->bik", a, b)


def running_total():
    x = np.arange(1000000, dtype=np.float32)
    return np.cumsum(x)
