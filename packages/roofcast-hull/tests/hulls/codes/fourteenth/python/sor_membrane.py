"""Deflection of a drum skin under a load, successive over-relaxation in reading order."""
import numpy as np

N = 48
OMEGA = 1.8
SWEEPS = 20


def sor(u, load, sweeps):
    for _ in range(sweeps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                mean = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + load[i, j])
                u[i, j] += OMEGA * (mean - u[i, j])
    return u


if __name__ == "__main__":
    u = np.zeros((N, N))
    load = np.full((N, N), 1e-3)
    print(sor(u, load, SWEEPS).max())
