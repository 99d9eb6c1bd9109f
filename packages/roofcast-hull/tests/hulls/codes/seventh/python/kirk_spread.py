"""Kirk's approximation of a spread call on a grid of two forwards (normal distribution by a logistic fit).
Operations counted by a counting array subclass at full size."""
import math

import numpy as np


def norm_cdf(x):
    return 1.0 / (1.0 + np.exp(-(1.5976 * x + 0.070566 * x**3)))


def kirk_grid(f1, f2, strike=4.0, sig1=0.32, sig2=0.25, rho=0.6, tau=0.75, rate=0.03):
    """Price of max(F1 - F2 - strike, 0) for all pairs of forwards."""
    sqrt_tau = math.sqrt(tau)
    disc = math.exp(-rate * tau)
    denom = f2 + strike
    w = f2 / denom
    vol = np.sqrt(sig1**2 - (2.0 * rho * sig1 * sig2) * w + sig2**2 * w * w)
    ratio = f1[:, None] / denom[None, :]
    d1 = (np.log(ratio) + (0.5 * tau) * vol**2) / (vol * sqrt_tau)
    d2 = d1 - vol * sqrt_tau
    price = (disc * denom) * (ratio * norm_cdf(d1) - norm_cdf(d2))
    return price


def main():
    f1 = np.linspace(60.0, 140.0, 400)
    f2 = np.linspace(50.0, 130.0, 250)
    p = kirk_grid(f1, f2)
    print(p.shape, p[200, 125])


if __name__ == "__main__":
    main()
