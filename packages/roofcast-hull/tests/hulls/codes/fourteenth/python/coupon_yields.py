"""Yields to maturity of a list of bonds; Newton's method until all of them have settled."""
import numpy as np

BONDS = 5000


def yields(price, coupon, years):
    y = np.full(BONDS, 0.03)
    step = np.ones(BONDS)
    while np.max(np.abs(step)) > 1e-10:
        disc = (1.0 + y) ** (-years)
        value = coupon * (1.0 - disc) / y + disc
        slope = -coupon * (1.0 - disc) / (y * y) + years * disc / (1.0 + y) * (coupon / y - 1.0)
        step = (value - price) / slope
        y = y - step
    return y


rng = np.random.default_rng(3)
coupon = rng.uniform(0.02, 0.05, BONDS)
years = rng.uniform(3.0, 15.0, BONDS)
price = rng.uniform(0.95, 1.05, BONDS)
print(yields(price, coupon, years)[:5])
