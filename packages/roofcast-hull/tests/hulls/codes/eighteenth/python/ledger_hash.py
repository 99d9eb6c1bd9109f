# called by the nightly export
"""Cheap integrity marks for exported ledger columns (uint32, wraps on purpose)."""
import numpy as np

ROWS = 1_500_000


def row_mark(account, cents, when):
    h = account * np.uint32(2654435761)
    h ^= cents
    h *= np.uint32(16777619)
    h ^= when >> np.uint32(7)
    return h


def parity_words(blocks):
    return np.bitwise_xor.reduce(blocks, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    acc, cents, when = (rng.integers(0, 2**32, ROWS, dtype=np.uint32) for _ in range(3))
    mark = row_mark(acc, cents, when)
    par = parity_words(mark.reshape(-1, 100))
    print(hex(int(par[0])))
