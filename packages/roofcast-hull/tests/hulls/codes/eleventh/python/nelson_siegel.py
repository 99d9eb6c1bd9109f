"""Yields of many days' Nelson-Siegel curves at a grid of maturities."""
import numpy as np


def curve_yields(beta, lam, tau):
    x = tau[None, :] / lam[:, None]
    decay = np.exp(-x)
    slope = (1.0 - decay) / x
    return beta[:, :1] + beta[:, 1:2] * slope + beta[:, 2:3] * (slope - decay)


if __name__ == "__main__":
    days, maturities = 5000, 360
    rng = np.random.default_rng(3)
    beta = rng.normal([0.04, -0.02, 0.01], 0.002, (days, 3))
    lam = rng.uniform(0.8, 3.0, days)
    tau = np.linspace(1 / 12, 30.0, maturities)
    y = curve_yields(beta, lam, tau)
    print(y.shape, y.min(), y.max())
