"""Elevation of the sun above the horizon in degrees, as a universal function over millions of points.

Verified by numbers that count themselves: 16 operations a point.
"""
import math

import numpy as np
from numba import vectorize, float64

RAD = math.pi / 180.0
DEG = 180.0 / math.pi
N_POINTS = 2_000_000


@vectorize([float64(float64, float64, float64)], target="parallel", nopython=True)
def solar_elevation(lat, decl, hour_angle):
    phi = lat * RAD
    delta = decl * RAD
    h = hour_angle * RAD
    s = math.sin(phi) * math.sin(delta) + math.cos(phi) * math.cos(delta) * math.cos(h)
    s = min(max(s, -1.0), 1.0)
    return math.asin(s) * DEG


def main():
    rng = np.random.default_rng(0)
    lat = rng.uniform(-90.0, 90.0, N_POINTS)
    decl = rng.uniform(-23.44, 23.44, N_POINTS)
    hour_angle = rng.uniform(-180.0, 180.0, N_POINTS)
    elev = solar_elevation(lat, decl, hour_angle)
    print("above the horizon: %.3f" % (elev > 0).mean())


if __name__ == "__main__":
    main()
