"""Recreational digits: sums of nine digits, and multiplicative persistence."""
import numpy as np
from numba import njit, prange

N = 1_000_000


@njit(parallel=True)
def digit_sums(numbers, sums):
    for i in prange(N):
        n = numbers[i]
        s = 0
        for _ in range(9):
            s += n % 10
            n //= 10
        sums[i] = s


@njit(parallel=True)
def persistence(numbers, steps):
    for i in prange(N):
        n = numbers[i]
        count = 0
        while n > 9:
            product = 1
            while n > 0:
                product *= n % 10
                n //= 10
            n = product
            count += 1
        steps[i] = count


if __name__ == "__main__":
    numbers = np.random.default_rng(13).integers(0, 10 ** 9, N)
    sums = np.zeros(N, dtype=np.int64)
    steps = np.zeros(N, dtype=np.int64)
    digit_sums(numbers, sums)
    persistence(numbers, steps)
    print(sums.mean(), steps.max())
