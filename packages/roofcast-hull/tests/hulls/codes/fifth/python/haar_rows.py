import numpy as np


def haar_rows(x):
    # one level, along the rows
    s = 0.7071067811865476
    even = x[:, 0::2]
    odd = x[:, 1::2]
    approx = (even + odd) * s
    detail = (even - odd) * s
    return approx, detail


def inverse(approx, detail):
    s = 0.7071067811865476
    x = np.empty((approx.shape[0], 2 * approx.shape[1]))
    x[:, 0::2] = (approx + detail) * s
    x[:, 1::2] = (approx - detail) * s
    return x


t = np.linspace(0, 1, 1024)
signals = np.sin(2 * np.pi * np.outer(np.arange(1, 601), t))
a, d = haar_rows(signals)
back = inverse(a, d)
print(np.abs(back - signals).max(), (d ** 2).sum() / (signals ** 2).sum())
