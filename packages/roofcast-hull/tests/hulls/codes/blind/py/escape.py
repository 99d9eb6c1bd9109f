import numpy as np


def mandelbrot():
    y, x = np.mgrid[-1.0:1.0:400j, -2.0:1.0:600j]
    c = x + 1j * y
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for _ in range(50):
        live = np.abs(z) <= 2
        z[live] = z[live] ** 2 + c[live]
        count[live] += 1
    return count


def newton():
    x = 2.0
    while abs(x * x - 2.0) > 1e-12:
        x -= (x * x - 2.0) / (2.0 * x)
    return x
