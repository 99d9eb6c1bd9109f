"""6 of 49; a slip is one 64-bit word."""

import numpy as np

SLIPS = 2_000_000
PRIZE = np.array([0, 0, 0, 10, 150, 4000, 1_000_000], dtype=np.int64)


def hits(slips, drawn):
    return np.bitwise_count(slips & drawn)


def payout(hit, prize):
    return prize[hit].sum()


def main():
    rng = np.random.default_rng(649)
    picks = rng.integers(0, 49, (SLIPS, 6)).astype(np.uint64)
    slips = np.bitwise_or.reduce(np.uint64(1) << picks, axis=1)
    drawn = np.uint64(sum(1 << b for b in (3, 11, 19, 27, 40, 48)))
    h = hits(slips, drawn)
    print(payout(h, PRIZE))


main()
