"""The largest fall of a price."""

import numpy as np


def drawdown(prices):
    peak = np.maximum.accumulate(prices)
    return np.max((peak - prices) / peak)


if __name__ == "__main__":
    print(drawdown(np.ones(1000000)))
