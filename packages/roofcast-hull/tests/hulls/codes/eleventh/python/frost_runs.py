"""Longest run of frost days of each station (days are rows)."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def longest_frost(tmin):
    days, stations = tmin.shape
    out = np.zeros(stations, dtype=np.int32)
    for s in prange(stations):
        run = 0
        longest = 0
        for d in range(days):
            if tmin[d, s] < 0.0:
                run += 1
                longest = max(longest, run)
            else:
                run = 0
        out[s] = longest
    return out


if __name__ == "__main__":
    day = np.arange(3650)[:, None]
    rng = np.random.default_rng(6)
    tmin = 6.0 - 9.0 * np.cos(2 * np.pi * day / 365.25) + 4.0 * rng.standard_normal((3650, 2000))
    print(longest_frost(tmin.astype(np.float32))[:10])
