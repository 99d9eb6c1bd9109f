import numba as nb
import numpy as np

GENERATIONS = 200
STOCKS = 300_000


@nb.njit(parallel=True, fastmath=True)
def ricker(x0, r):
    n = x0.shape[0]
    final = np.empty(n, dtype=np.float64)
    for i in nb.prange(n):
        x = x0[i]
        growth = r[i]
        for _ in range(GENERATIONS):
            x = x * np.exp(growth * (1.0 - x))
        final[i] = x
    return final


rng = np.random.default_rng(55)
x0 = rng.uniform(0.1, 1.5, STOCKS)
r = rng.uniform(1.2, 2.9, STOCKS)
print(ricker(x0, r).mean())
