"""Statistics of a land-cover raster by administrative zone, and classes of slope."""
import numpy as np

ROWS = 1500
COLS = 2000
ZONES = 412


def zone_means(zone, value):
    flat = zone.ravel()
    n = np.bincount(flat, minlength=ZONES)
    total = np.bincount(flat, weights=value.ravel(), minlength=ZONES)
    return total / np.maximum(n, 1)


def slope_class(slope):
    out = np.where(slope < 2.0, 1, 0)
    return np.where(slope >= 2.0, np.where(slope < 8.0, 2, np.where(slope < 20.0, 3, 4)), out)


# a made-up raster: zones at random, slopes in degrees, most of them gentle
rng = np.random.default_rng(0)
zone = rng.integers(0, ZONES, (ROWS, COLS))
slope = rng.gamma(2.0, 4.0, (ROWS, COLS))
print(zone_means(zone, slope).mean(), slope_class(slope).sum())
