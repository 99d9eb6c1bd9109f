"""Principal and equivalent stresses of a plane-stress finite-element field.

Usage: python mohr_circle.py
"""
import numpy as np

NY, NX = 1000, 2000


def principal_stresses(sx, sy, txy):
    """Largest, smallest in-plane principal stress and von Mises stress."""
    centre = 0.5 * (sx + sy)
    half = 0.5 * (sx - sy)
    radius = np.sqrt(half * half + txy * txy)
    s1 = centre + radius
    s2 = centre - radius
    mises = np.sqrt(s1 * s1 - s1 * s2 + s2 * s2)
    return s1, s2, mises


def main():
    rng = np.random.default_rng(7)
    sx = rng.normal(80.0, 15.0, (NY, NX))
    sy = rng.normal(20.0, 10.0, (NY, NX))
    txy = rng.normal(0.0, 12.0, (NY, NX))
    s1, s2, mises = principal_stresses(sx, sy, txy)
    print(f"max s1 {s1.max():.2f} MPa, min s2 {s2.min():.2f} MPa, "
          f"mean von Mises {mises.mean():.2f} MPa")


if __name__ == "__main__":
    main()
