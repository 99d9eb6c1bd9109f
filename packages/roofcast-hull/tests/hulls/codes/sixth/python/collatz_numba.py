# Lengths of Collatz chains. The while loop runs as long as the data say: no class (refused).
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def chain_lengths(start, lengths):
    for i in prange(start.size):
        n = start[i]
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        lengths[i] = steps


if __name__ == "__main__":
    start = np.arange(1, 300_001, dtype=np.int64)
    lengths = np.zeros(start.size, dtype=np.int32)
    chain_lengths(start, lengths)
    print(start[lengths.argmax()], lengths.max())
