"""Entropic optimal transport: Sinkhorn scaling until the marginals agree.
Data decide the number of sweeps: no class."""
import numpy as np


def sinkhorn(cost, a, b, reg=0.05, tol=1e-8):
    K = np.exp(-cost / reg)
    u = np.ones_like(a)
    v = np.ones_like(b)
    err = 1.0
    while err > tol:
        u = a / (K @ v)
        v = b / (K.T @ u)
        err = np.abs(u * (K @ v) - a).sum()
    return u[:, None] * K * v[None, :]


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    x = rng.random(300)
    y = rng.random(200)
    cost = (x[:, None] - y[None, :]) ** 2
    plan = sinkhorn(cost, np.full(300, 1 / 300), np.full(200, 1 / 200))
    print("transport cost", (plan * cost).sum())
