"""Semi-Lagrangian advection of a tracer: go back along the wind, interpolate bilinearly there.

Verified by a Python translation that counts at 16 x 16: 22 operations a cell (8 of them find the
departure point), and by running (numba): the result stays within the tracer's bounds.
"""
import numpy as np
from numba import njit, prange

NY, NX = 1024, 1024
DT_OVER_DX = 1.5


@njit(parallel=True)
def advect(q, u, v, out, c):
    ny, nx = q.shape
    for i in prange(ny):
        for j in range(nx):
            x = min(max(j - c * u[i, j], 0.0), nx - 1.0)
            y = min(max(i - c * v[i, j], 0.0), ny - 1.0)
            j0 = min(int(x), nx - 2)
            i0 = min(int(y), ny - 2)
            fx = x - j0
            fy = y - i0
            top = (1.0 - fx) * q[i0, j0] + fx * q[i0, j0 + 1]
            bottom = (1.0 - fx) * q[i0 + 1, j0] + fx * q[i0 + 1, j0 + 1]
            out[i, j] = (1.0 - fy) * top + fy * bottom


@njit(parallel=True)
def total_mass(q):
    total = 0.0
    for i in prange(q.shape[0]):
        for j in range(q.shape[1]):
            total += q[i, j]
    return total


def main(steps: int = 5):
    y, x = np.mgrid[0:NY, 0:NX].astype(np.float64)
    q = np.exp(-((x - 300) ** 2 + (y - 500) ** 2) / 2e3)
    u = -(y - NY / 2) / 100.0
    v = (x - NX / 2) / 100.0
    out = np.empty_like(q)
    before = total_mass(q)
    for _ in range(steps):
        advect(q, u, v, out, DT_OVER_DX)
        q, out = out, q
    print("mass", before, total_mass(q), "max", q.max())


if __name__ == "__main__":
    main()
