# Inverse distance weighting of station values onto query points, in parallel over the points.
# Verified: 10 operations per pair + 1 per point by running the loops with counting numbers at reduced size.
import time

import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def idw(qx, qy, sx, sy, value, out):
    for i in prange(qx.shape[0]):
        num = 0.0
        den = 0.0
        for k in range(sx.shape[0]):
            dx = qx[i] - sx[k]
            dy = qy[i] - sy[k]
            w = 1.0 / (dx * dx + dy * dy + 1e-6)
            num += w * value[k]
            den += w
        out[i] = num / den


def main():
    n_points, n_stations = 6000, 150
    rng = np.random.default_rng(0)
    qx, qy = rng.random(n_points), rng.random(n_points)
    sx, sy = rng.random(n_stations), rng.random(n_stations)
    value = np.sin(4 * sx) + sy
    out = np.empty(n_points)
    idw(qx, qy, sx, sy, value, out)  # compile
    t0 = time.perf_counter()
    idw(qx, qy, sx, sy, value, out)
    print("seconds:", time.perf_counter() - t0, "mean:", out.mean())


if __name__ == "__main__":
    main()
