"""Velocity of drifters inside the triangles of an ocean mesh."""
import numpy as np

NODES = 90_000
DRIFTERS = 250_000


def interpolate(u, corner, weight):
    return (u[corner] * weight).sum(axis=1)


def beach(lon, lat, vel_e, vel_n, dt):
    coslat = np.cos(lat)
    lon2 = lon + dt * vel_e / (6.371e6 * coslat)
    lat2 = lat + dt * vel_n / 6.371e6
    return lon2, lat2


def main():
    rng = np.random.default_rng(8)
    ue, un = rng.standard_normal(NODES), rng.standard_normal(NODES)
    corner = rng.integers(0, NODES, (DRIFTERS, 3))
    weight = rng.dirichlet((1.0, 1.0, 1.0), DRIFTERS)
    lon = rng.uniform(-3.0, 3.0, DRIFTERS)
    lat = rng.uniform(-1.2, 1.2, DRIFTERS)
    ve = interpolate(ue, corner, weight)
    vn = interpolate(un, corner, weight)
    lon, lat = beach(lon, lat, ve, vn, 600.0)
    print(lon.mean(), lat.mean())


main()
