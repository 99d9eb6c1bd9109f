"""Sortino ratio of 5000 portfolios over 750 days."""
import math
import numpy as np
import numba as nb


@nb.njit(parallel=True, fastmath=True)
def sortino(r, target):
    n, days = r.shape
    ratio = np.empty(n)
    for i in nb.prange(n):
        total = 0.0
        down = 0.0
        for t in range(days):
            total += r[i, t]
            short = min(r[i, t] - target, 0.0)
            down += short * short
        ratio[i] = (total / days - target) / math.sqrt(down / days)
    return ratio


returns = np.random.default_rng(21).normal(0.0004, 0.01, (5000, 750))
print(sortino(returns, 0.0001).max())
