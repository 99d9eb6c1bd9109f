"""Tracked birds: length and longest hop of each track on the sphere, and the hour histogram of fixes."""
import math

import numpy as np
from numba import njit, prange

BIRDS, FIXES = 5000, 300
DIAMETER = 12742.0


@njit(parallel=True)
def hops(lat, lon, length, longest):
    for b in prange(BIRDS):
        total = 0.0
        best = 0.0
        for k in range(1, FIXES):
            dp = lat[b, k] - lat[b, k - 1]
            dl = lon[b, k] - lon[b, k - 1]
            h = math.sin(dp / 2) ** 2 + math.cos(lat[b, k - 1]) * math.cos(lat[b, k]) * math.sin(dl / 2) ** 2
            leg = DIAMETER * math.asin(math.sqrt(h))
            total += leg
            best = max(best, leg)
        length[b] = total
        longest[b] = best


@njit
def fixes_by_hour(minute, hist):
    for k in range(minute.shape[0]):
        hist[minute[k] // 60] += 1


def main():
    rng = np.random.default_rng(4)
    lat = np.cumsum(rng.normal(0, 1e-3, (BIRDS, FIXES)), axis=1) + 0.8
    lon = np.cumsum(rng.normal(0, 1e-3, (BIRDS, FIXES)), axis=1)
    length, longest = np.empty(BIRDS), np.empty(BIRDS)
    hops(lat, lon, length, longest)
    hist = np.zeros(24, dtype=np.int64)
    fixes_by_hour(rng.integers(0, 1440, BIRDS * FIXES), hist)
    print(length.mean(), longest.max(), hist)


if __name__ == "__main__":
    main()
