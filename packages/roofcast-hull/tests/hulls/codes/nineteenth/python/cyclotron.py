import math

import numpy as np

N = 300000
ME = 9.109e-31
QE = 1.602e-19


def gyrate(vx, vy, c, s):
    nx = c * vx + s * vy
    ny = c * vy - s * vx
    return nx, ny


def larmor_radius(vx, vy, bz):
    return ME * np.hypot(vx, vy) / (QE * np.abs(bz))


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    vx = rng.normal(0, 1e6, N)
    vy = rng.normal(0, 1e6, N)
    bz = rng.uniform(0.01, 0.09, N)
    w = math.radians(3.0)
    vx, vy = gyrate(vx, vy, math.cos(w), math.sin(w))
    print(larmor_radius(vx, vy, bz).mean())
