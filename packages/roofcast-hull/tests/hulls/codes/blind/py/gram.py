import numpy as np


def gram(samples=4000, features=100):
    x = np.random.rand(samples, features)
    return x.T @ x


def outer_product():
    a = np.arange(1000.0)
    b = np.arange(1500.0)
    c = a[:, None] * b[None, :]
    return c
