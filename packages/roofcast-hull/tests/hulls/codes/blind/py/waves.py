import numpy as np


def wave2d():
    n = 512
    u = np.zeros((n, n), dtype=np.float32)
    prev = np.zeros((n, n), dtype=np.float32)
    nxt = np.zeros((n, n), dtype=np.float32)
    nxt[1:-1, 1:-1] = (2 * u[1:-1, 1:-1] - prev[1:-1, 1:-1]
                       + 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]))
    return nxt


def divergence():
    vx = np.zeros((300, 400))
    vy = np.zeros((300, 400))
    d = np.zeros((300, 400))
    for i in range(300 - 1):
        for j in range(400 - 1):
            d[i, j] = (vx[i, j + 1] - vx[i, j]) / 0.1 + (vy[i + 1, j] - vy[i, j]) / 0.1
    return d
