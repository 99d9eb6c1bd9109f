import numpy as np
from numba import njit

NR = 256      # around
NT = 1024     # across
STEPS = 300


@njit(cache=True)
def tread_temperature(t, q, out, alpha):
    rows, cols = t.shape
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            lap = t[i - 1, j] + t[i + 1, j] + t[i, j - 1] + t[i, j + 1] - 4.0 * t[i, j]
            out[i, j] = t[i, j] + alpha * lap + q[i, j]


@njit(cache=True)
def hottest_per_ring(t, peak):
    for i in range(t.shape[0]):
        m = t[i, 0]
        for j in range(1, t.shape[1]):
            if t[i, j] > m:
                m = t[i, j]
        peak[i] = m


@njit
def wear_depth(slip, load, t, depth, k):
    rows, cols = slip.shape
    for i in range(rows):
        for j in range(cols):
            soft = 1.0 + 0.01 * (t[i, j] - 60.0)
            depth[i, j] += k * load[j] * slip[i, j] * soft


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    t = np.full((NR, NT), 60.0)
    u = t.copy()
    q = rng.random((NR, NT)) * 0.2
    for s in range(STEPS):
        tread_temperature(t, q, u, 0.2)
        t, u = u, t
    peak = np.empty(NR)
    hottest_per_ring(t, peak)
    depth = np.zeros((NR, NT))
    wear_depth(rng.random((NR, NT)), rng.random(NT), t, depth, 1e-4)
    print(peak.max(), depth.sum())
