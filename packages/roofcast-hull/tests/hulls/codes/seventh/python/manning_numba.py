"""Manning discharge and Froude number of many rectangular channel sections (Numba, parallel).
13 operations a section (by hand; run with counting numbers at reduced size)."""
import math
import time

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def manning(width, depth, slope, rough, discharge, froude):
    n = width.shape[0]
    for i in prange(n):
        h = depth[i]
        area = width[i] * h
        radius = area / (width[i] + 2.0 * h)
        q = area * radius ** (2.0 / 3.0) * math.sqrt(slope[i]) / rough[i]
        discharge[i] = q
        froude[i] = q / area / math.sqrt(9.81 * h)


def main():
    n = 500_000
    rng = np.random.default_rng(1)
    width = rng.uniform(1.0, 30.0, n)
    depth = rng.uniform(0.2, 5.0, n)
    slope = rng.uniform(1e-4, 1e-2, n)
    rough = rng.uniform(0.01, 0.05, n)
    q = np.empty(n)
    fr = np.empty(n)
    manning(width, depth, slope, rough, q, fr)  # compile
    t0 = time.perf_counter()
    manning(width, depth, slope, rough, q, fr)
    print("seconds", time.perf_counter() - t0, "supercritical", (fr > 1.0).mean())


if __name__ == "__main__":
    main()
