"""Blocking of trunk groups by Erlang's recursion, and the share of calls that a path loses."""
import numpy as np
from numba import njit, prange

LINKS = 200_000
TRUNKS = 48
PATHS = 500_000
HOPS = 4


@njit(parallel=True)
def blocking(offered, b):
    for i in prange(LINKS):
        a = offered[i]
        lost = 1.0
        for k in range(1, TRUNKS + 1):
            load = a * lost
            lost = load / (k + load)
        b[i] = lost


@njit(parallel=True)
def path_loss(route, b, loss):
    for p in prange(PATHS):
        through = 1.0
        for h in range(HOPS):
            through *= 1.0 - b[route[p, h]]
        loss[p] = 1.0 - through


if __name__ == "__main__":
    rng = np.random.default_rng(9)
    offered = rng.uniform(20.0, 60.0, LINKS)
    route = rng.integers(0, LINKS, (PATHS, HOPS)).astype(np.int32)
    b = np.empty(LINKS)
    loss = np.empty(PATHS)
    blocking(offered, b)
    path_loss(route, b, loss)
    print(b.mean(), loss.mean())
