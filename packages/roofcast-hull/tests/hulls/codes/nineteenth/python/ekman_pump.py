"""Bulk stress of a monthly wind field and what it does to the ocean below."""
import numpy as np

RHO_AIR = 1.22
NLAT, NLON = 180, 360


def bulk_stress(u, v):
    speed = np.hypot(u, v)
    k = RHO_AIR * 1e-3 * (0.61 + 0.063 * speed) * speed
    tx = k * u
    ty = k * v
    return tx, ty


def stress_curl(tx, ty, dx, dy):
    dty = (ty[1:-1, 2:] - ty[1:-1, :-2]) / (2.0 * dx)
    dtx = (tx[2:, 1:-1] - tx[:-2, 1:-1]) / (2.0 * dy)
    return dty - dtx


def hot_days(t2m, limit):
    # days above the local limit
    return (t2m > limit).sum(axis=0)


def main():
    rng = np.random.default_rng(8)
    u = rng.normal(3.0, 6.0, (NLAT, NLON))
    v = rng.normal(0.0, 5.0, (NLAT, NLON))
    tx, ty = bulk_stress(u, v)
    curl = stress_curl(tx, ty, 1.1e5, 1.1e5)
    t2m = rng.normal(20.0, 7.0, size=(90, 100, 120))
    limit = rng.normal(30.0, 1.0, size=(100, 120))
    print(curl.std(), hot_days(t2m, limit).max())


if __name__ == "__main__":
    main()
