"""Minimisers of a genome: hashed k-mers, smallest hash of each window, how often it changes."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

BASES = 2_000_000
K = 15
W = 10
N = BASES - K + 1
MULT = np.uint64(0x9E3779B97F4A7C15)
TWO, TWENTY = np.uint64(2), np.uint64(20)


def kmer_hash(seq):
    code = np.zeros(N, dtype=np.uint64)
    for j in range(K):
        code = (code << TWO) | seq[j:j + N]
    return (code * MULT) >> TWENTY


def window_minimum(h):
    return sliding_window_view(h, W).min(axis=1)


def changes(m):
    return (m[1:] != m[:-1]).sum()


if __name__ == "__main__":
    rng = np.random.default_rng(15)
    seq = rng.integers(0, 4, BASES, dtype=np.uint8)
    m = window_minimum(kmer_hash(seq))
    print(changes(m) / m.size)
