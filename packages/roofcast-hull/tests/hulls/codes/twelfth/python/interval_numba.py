"""Reads and the genes that they fall in: bisection in the sorted starts."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def locate(reads, starts, gene):
    for r in prange(reads.size):
        lo = 0
        hi = starts.size
        while lo < hi:
            mid = (lo + hi) // 2
            if starts[mid] <= reads[r]:
                lo = mid + 1
            else:
                hi = mid
        gene[r] = lo - 1


rng = np.random.default_rng(8)
starts = np.sort(rng.integers(0, 250_000_000, 24_000))
reads = rng.integers(0, 250_000_000, 1_000_000)
gene = np.empty(reads.size, dtype=np.int64)
locate(reads, starts, gene)
