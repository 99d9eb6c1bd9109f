"""Verification of probability forecasts: Brier score and the reliability diagram."""
import numpy as np

FORECASTS = 1_200_000


def brier(p, y):
    return ((p - y) ** 2).mean()


def hits_per_bin(p, y):
    idx = (p * 10.0).astype(np.int64)
    return np.bincount(idx, weights=y, minlength=11)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    p = rng.random(FORECASTS)
    y = (rng.random(FORECASTS) < p).astype(np.float64)
    print("Brier", brier(p, y))
    print("hits", hits_per_bin(p, y))
