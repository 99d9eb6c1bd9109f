#!/usr/bin/env python
"""Maximum-value NDVI composite of a season of satellite scenes, clouds masked, and how many scenes were clear.

Verified by arrays that count their operations (reductions of n terms as n).
"""
import numpy as np

DATES, HEIGHT, WIDTH = 24, 1000, 1000


def ndvi_composite(red, nir, cloud):
    """red, nir: float32 (DATES, HEIGHT, WIDTH); cloud: bool of that shape."""
    ndvi = (nir - red) / (nir + red + np.float32(1e-6))
    clear_ndvi = np.where(cloud, np.float32(-1.0), ndvi)
    best = clear_ndvi.max(axis=0)
    clear = (~cloud).sum(axis=0)
    return best, clear


def synthetic(rng):
    red = rng.random((DATES, HEIGHT, WIDTH), dtype=np.float32) * np.float32(0.3)
    nir = rng.random((DATES, HEIGHT, WIDTH), dtype=np.float32) * np.float32(0.6)
    cloud = rng.random((DATES, HEIGHT, WIDTH), dtype=np.float32) < 0.4
    return red, nir, cloud


if __name__ == "__main__":
    best, clear = ndvi_composite(*synthetic(np.random.default_rng(0)))
    print(best.shape, best.dtype, best.mean(), clear.min(), clear.max())
