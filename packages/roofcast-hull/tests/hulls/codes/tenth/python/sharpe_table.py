"""Annualised Sharpe ratios of a panel of daily returns (ten years, 500 shares).

By hand: the mean is n operations and a division a share, the deviation 4 n and two, three for the ratio.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

DAYS = 2520
ASSETS = 500
TRADING_DAYS = 252
RISK_FREE = 0.02


def annualised_sharpe(returns):
    mean = returns.mean(axis=0)
    spread = returns.std(axis=0, ddof=1)
    return np.sqrt(TRADING_DAYS) * (mean - RISK_FREE / TRADING_DAYS) / spread


def main():
    rng = np.random.default_rng(12)
    drift = rng.normal(0.0003, 0.0004, size=ASSETS)
    returns = drift + 0.015 * rng.standard_normal((DAYS, ASSETS))
    sharpe = annualised_sharpe(returns)
    best = np.argsort(sharpe)[::-1][:10]
    for rank, asset in enumerate(best, start=1):
        print(f"{rank:2d}  asset {asset:3d}  {sharpe[asset]:6.3f}")


if __name__ == "__main__":
    main()
