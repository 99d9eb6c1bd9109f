"""Lyapunov exponent of the logistic map over its parameter."""
from math import log

import numpy as np
from numba import njit, prange

N_RATES = 20_000
N_WARMUP = 200
N_ITER = 1000


@njit(parallel=True, cache=True)
def lyapunov(rates, exponents):
    for i in prange(rates.size):
        r = rates[i]
        x = 0.4
        for _ in range(N_WARMUP):
            x = r * x * (1.0 - x)
        acc = 0.0
        for _ in range(N_ITER):
            x = r * x * (1.0 - x)
            acc += log(abs(r * (1.0 - 2.0 * x)))
        exponents[i] = acc / N_ITER


if __name__ == "__main__":
    rates = np.linspace(2.6, 3.999, N_RATES)
    exponents = np.empty_like(rates)
    lyapunov(rates, exponents)
    print(f"chaotic share: {np.mean(exponents > 0.0):.3f}")
