"""Ensemble of Lotka-Volterra systems with random rates, Heun's method."""
import numpy as np
from numba import njit, prange

MEMBERS = 4096
STEPS = 500
DT = 0.01


@njit(parallel=True, fastmath=True)
def simulate(params, steps, dt, out):
    half = 0.5 * dt
    for m in prange(params.shape[0]):
        a = params[m, 0]
        b = params[m, 1]
        c = params[m, 2]
        d = params[m, 3]
        x = 10.0
        y = 5.0
        for _ in range(steps):
            fx = x * (a - b * y)
            fy = y * (c * x - d)
            xp = x + dt * fx
            yp = y + dt * fy
            gx = xp * (a - b * yp)
            gy = yp * (c * xp - d)
            x += half * (fx + gx)
            y += half * (fy + gy)
        out[m, 0] = x
        out[m, 1] = y


def main():
    rng = np.random.default_rng(2)
    params = rng.uniform([0.8, 0.05, 0.03, 0.8], [1.2, 0.15, 0.08, 1.2], (MEMBERS, 4))
    out = np.empty((MEMBERS, 2))
    simulate(params, STEPS, DT, out)
    print("prey quartiles", np.percentile(out[:, 0], [25, 50, 75]))


if __name__ == "__main__":
    main()
