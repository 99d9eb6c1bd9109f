#!/usr/bin/env python3
"""Ripening cave: moisture loss of wheels on racks, hour by hour."""
import numpy as np

RACKS = 300
SLOTS = 2048
HOURS = 72


def vapour_deficit(t_air, rh):
    es = 0.6108 * np.exp(17.27 * t_air / (t_air + 237.3))
    return es * (1.0 - rh)


def ripen(mass, dry, deficit):
    """mass and dry: (racks, slots); deficit: one number an hour"""
    for h in range(HOURS):
        free = mass - dry
        mass = mass - 0.0004 * deficit[h] * free
    return mass


def turn_rack(mass):
    # the wheels of each rack go in from the other side
    return mass[:, ::-1].copy()


def grade(loss, edges):
    out = np.zeros(loss.shape, dtype=np.int8)
    for e in edges:
        out += loss > e
    return out


def main():
    rng = np.random.default_rng(3)
    t = 12.0 + rng.normal(0, 0.7, (RACKS, SLOTS))
    rh = rng.uniform(0.82, 0.97, (RACKS, SLOTS))
    vpd = vapour_deficit(t, rh)
    mass0 = rng.uniform(38.0, 42.0, (RACKS, SLOTS))
    dry = 0.55 * mass0
    m = ripen(mass0, dry, rng.uniform(0.05, 0.3, HOURS))
    m = turn_rack(m)
    loss = 1.0 - m / mass0
    g = grade(loss, (0.002, 0.004, 0.006, 0.008))
    print(vpd.mean(), m.mean(), np.bincount(g.ravel()))


if __name__ == "__main__":
    main()
