import numpy as np


def moving_average():
    x = np.zeros(100000)
    y = np.zeros(100000 - 8)
    for k in range(9):
        y += x[k : 100000 - 8 + k]
    return y / 9


def differences():
    x = np.random.rand(250000)
    return x[1:] - x[:-1]


def fir():
    x = np.random.rand(20000)
    h = np.random.rand(31)
    y = np.zeros(20000 - 30)
    for i in range(20000 - 30):
        s = 0.0
        for k in range(31):
            s += h[k] * x[i + 30 - k]
        y[i] = s
    return y
