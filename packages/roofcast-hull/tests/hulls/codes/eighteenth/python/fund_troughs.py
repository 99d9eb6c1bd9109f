"""Risk page of the monthly fund report.

Net asset values come as one row a fund, ten years of trading days.
"""
import numpy as np

FUNDS, DAYS = 1500, 2520


def drawdowns(nav):
    peak = np.maximum.accumulate(nav, axis=1)
    return 1.0 - nav / peak


def wealth(returns):
    return np.cumprod(1.0 + returns, axis=1)


def ulcer(dd):
    return np.sqrt((dd * dd).mean(axis=1))


if __name__ == "__main__":
    ret = np.random.default_rng(30).normal(3e-4, 0.01, (FUNDS, DAYS))
    nav = wealth(ret)
    dd = drawdowns(nav)
    print(ulcer(dd)[:5])
