"""Fringe pattern of a point cloud for a light modulator: waves added up, peak, grey levels."""
import math

import numpy as np
from numba import njit, prange

ROWS, COLS = 600, 800
POINTS = 64
PITCH = 8.0e-6
WAVE = 2.0 * math.pi / 532e-9


@njit(parallel=True)
def fringes_of_points(ys, xs, px, py, z2, amp, field):
    for i in prange(field.shape[0]):
        for j in range(field.shape[1]):
            total = 0.0
            for k in range(px.size):
                dx = xs[j] - px[k]
                dy = ys[i] - py[k]
                total += amp[k] * math.cos(WAVE * math.sqrt(dx * dx + dy * dy + z2[k]))
            field[i, j] = total


@njit(parallel=True)
def peak(field):
    top = 0.0
    for i in prange(field.shape[0]):
        for j in range(field.shape[1]):
            top = max(top, abs(field[i, j]))
    return top


@njit(parallel=True)
def grey(field, top, out):
    for i in prange(field.shape[0]):
        for j in range(field.shape[1]):
            out[i, j] = np.uint8(127.5 * (1.0 + field[i, j] / top))


def run():
    rng = np.random.default_rng(77)
    ys = (np.arange(ROWS) - ROWS / 2) * PITCH
    xs = (np.arange(COLS) - COLS / 2) * PITCH
    px = rng.uniform(-2e-3, 2e-3, POINTS)
    py = rng.uniform(-2e-3, 2e-3, POINTS)
    z2 = rng.uniform(0.2, 0.3, POINTS) ** 2
    amp = rng.uniform(0.5, 1.0, POINTS)
    field = np.empty((ROWS, COLS))
    out = np.empty((ROWS, COLS), dtype=np.uint8)
    fringes_of_points(ys, xs, px, py, z2, amp, field)
    top = peak(field)
    grey(field, top, out)
    print(top, out.mean())


if __name__ == "__main__":
    run()
