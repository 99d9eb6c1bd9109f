"""Expectation maximisation of a mixture of two Poisson distributions, until the likelihood is stable.

The number of rounds depends on the data: no class (refused)."""
import numpy as np


def fit_mixture(counts, tol=1e-9):
    weight, low, high = 0.5, 0.5 * counts.mean(), 1.5 * counts.mean()
    previous = -np.inf
    while True:
        p_low = weight * np.exp(counts * np.log(low) - low)
        p_high = (1.0 - weight) * np.exp(counts * np.log(high) - high)
        total = p_low + p_high
        likelihood = np.log(total).mean()
        if likelihood - previous < tol:
            return weight, low, high
        previous = likelihood
        share = p_low / total
        weight = share.mean()
        low = (share * counts).sum() / share.sum()
        high = ((1.0 - share) * counts).sum() / (1.0 - share).sum()


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    group = rng.random(9000) < 0.3
    counts = np.where(group, rng.poisson(2.0, 9000), rng.poisson(9.0, 9000)).astype(float)
    print(fit_mixture(counts))
