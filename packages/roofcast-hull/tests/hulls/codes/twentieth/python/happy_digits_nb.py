import numpy as np
from numba import njit, prange


@njit
def happy_steps(n):
    steps = 0
    while n != 1 and n != 4:
        s = 0
        while n > 0:
            d = n % 10
            s += d * d
            n //= 10
        n = s
        steps += 1
    return steps


@njit(parallel=True)
def all_lengths(upto):
    out = np.zeros(upto, np.int32)
    for k in prange(1, upto):
        out[k] = happy_steps(k)
    return out


@njit(parallel=True)
def digit_weights(values, weights):
    """weighted sums of the eight nibbles of each number"""
    n = values.shape[0]
    res = np.empty(n, np.int64)
    for i in prange(n):
        v = values[i]
        s = 0
        for d in range(8):
            s += ((v >> (4 * d)) & 15) * weights[d]
        res[i] = s
    return res


def main():
    lens = all_lengths(50000)
    print(lens.max())
    rng = np.random.default_rng(9)
    vals = rng.integers(0, 2**32, 1_000_000)
    w = np.array([1, 3, 9, 27, 81, 243, 729, 2187])
    print(digit_weights(vals, w)[:4])


if __name__ == "__main__":
    main()
