"""Vertical gravity anomaly (mGal) of buried point masses at stations on the ground.

Verified by arrays that count: 10 operations for each pair of a station and a mass as executed;
the products of masses alone (G*mass*depth, depth**2) run once for each mass.
"""
import numpy as np

G = 6.674e-11
STATIONS = 2000
MASSES = 3000


def vertical_gravity(sx, sy, mx, my, depth, mass):
    dx = sx[:, None] - mx[None, :]
    dy = sy[:, None] - my[None, :]
    r2 = dx * dx + dy * dy + depth**2
    g = (G * mass * depth) / (r2 * np.sqrt(r2))
    return 1e5 * g.sum(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(11)
    sx, sy = rng.uniform(0, 1e4, (2, STATIONS))
    mx, my = rng.uniform(0, 1e4, (2, MASSES))
    depth = rng.uniform(50.0, 900.0, MASSES)
    mass = rng.uniform(-1e9, 3e9, MASSES)
    gz = vertical_gravity(sx, sy, mx, my, depth, mass)
    assert gz.shape == (STATIONS,)
    print("anomaly %.4f .. %.4f mGal" % (gz.min(), gz.max()))
