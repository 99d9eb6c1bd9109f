"""Molar volume of a van der Waals gas by Newton's method until it settles."""
import numpy as np
from numba import njit

R = 8.314462618


@njit
def molar_volume(p, temp, a, b, tol):
    v = np.empty_like(p)
    for i in range(p.size):
        x = R * temp[i] / p[i] + b
        step = x
        while abs(step) > tol * x:
            f = (p[i] + a / (x * x)) * (x - b) - R * temp[i]
            df = p[i] - a / (x * x) + 2.0 * a * b / (x * x * x)
            step = f / df
            x -= step
        v[i] = x
    return v


rng = np.random.default_rng(17)
p = rng.uniform(1e5, 5e6, 200_000)
temp = rng.uniform(320.0, 800.0, 200_000)
print(molar_volume(p, temp, 0.3640, 4.267e-5, 1e-10)[:3])
