"""Implied volatility by halving, until all are close enough."""
import numpy as np


def implied(price, low, high, tolerance):
    while np.max(high - low) > tolerance:
        mid = 0.5 * (low + high)
        over = mid * mid * 0.4 > price
        high = np.where(over, mid, high)
        low = np.where(over, low, mid)
    return 0.5 * (low + high)


if __name__ == "__main__":
    p = np.full(10000, 0.02)
    print(implied(p, np.zeros(10000), np.ones(10000), 1e-8))
