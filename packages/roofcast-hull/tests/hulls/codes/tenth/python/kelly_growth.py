"""Growth rate of wealth against the fraction that is staked (Kelly), over a sample of returns.

By hand for a fraction and a return: product, sum, floor, logarithm and the running sum; one division a fraction.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

N_FRACTIONS = 200
N_RETURNS = 10000


def growth_rate(fractions, returns):
    wealth = 1.0 + fractions[:, None] * returns[None, :]
    return np.log(np.maximum(wealth, 1e-12)).mean(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    returns = rng.standard_t(4, size=N_RETURNS) * 0.01 + 0.0006
    fractions = np.linspace(0.0, 6.0, N_FRACTIONS)
    g = growth_rate(fractions, returns)
    print("best fraction %.2f, growth %.5f a day" % (fractions[g.argmax()], g.max()))
