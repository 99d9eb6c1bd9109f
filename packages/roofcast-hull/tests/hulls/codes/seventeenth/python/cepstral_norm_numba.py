"""Speech features of an hour: regression deltas, then mean and variance normalisation."""
import numpy as np
from numba import njit, prange

FRAMES = 360_000
COEFFS = 40
REACH = 2
EPS = 1e-8


@njit(parallel=True)
def deltas(x, out):
    for t in prange(FRAMES):
        for c in range(COEFFS):
            acc = 0.0
            for k in range(1, REACH + 1):
                ahead = min(t + k, FRAMES - 1)
                behind = max(t - k, 0)
                acc += k * (x[ahead, c] - x[behind, c])
            out[t, c] = acc / 10.0


@njit(parallel=True)
def statistics(x, mean, inv_std):
    for c in prange(COEFFS):
        s = 0.0
        s2 = 0.0
        for t in range(FRAMES):
            v = x[t, c]
            s += v
            s2 += v * v
        m = s / FRAMES
        mean[c] = m
        inv_std[c] = 1.0 / np.sqrt(s2 / FRAMES - m * m + EPS)


@njit(parallel=True, fastmath=True)
def normalise(x, mean, inv_std):
    for t in prange(FRAMES):
        for c in range(COEFFS):
            x[t, c] = (x[t, c] - mean[c]) * inv_std[c]


def main():
    rng = np.random.default_rng(2)
    x = rng.normal(1.0, 3.0, (FRAMES, COEFFS)).astype(np.float32)
    d = np.empty((FRAMES, COEFFS), dtype=np.float32)
    mean = np.empty(COEFFS)
    inv_std = np.empty(COEFFS)
    deltas(x, d)
    statistics(d, mean, inv_std)
    normalise(d, mean, inv_std)
    print(d.std(), mean[:4])


if __name__ == "__main__":
    main()
