import numpy as np


def running_sum():
    x = np.random.rand(500000)
    return np.cumsum(x)


def ranks():
    x = np.random.rand(100000)
    return np.argsort(x)


def positives():
    x = np.random.randn(100000)
    return x[x > 0]


def fibonacci_mod():
    f = np.zeros(10000, dtype=np.int64)
    f[1] = 1
    for i in range(2, 10000):
        f[i] = (f[i - 1] + f[i - 2]) % 1000007
    return f
