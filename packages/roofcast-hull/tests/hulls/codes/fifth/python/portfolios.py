import numpy as np
import math  # noqa


def volatility(weights, cov):
    """Standard deviation of each of many portfolios, one in a row."""
    return np.sqrt(np.sum((weights @ cov) * weights, axis=1))


def main():
    rng = np.random.default_rng(11)
    n_assets = 40
    factors = rng.normal(size=(n_assets, n_assets))
    cov = factors @ factors.T / n_assets * 0.04
    weights = rng.dirichlet(np.ones(n_assets), size=20000)
    vol = volatility(weights, cov)
    best = vol.argmin()
    print("smallest volatility:", vol[best], "held in", (weights[best] > 0.01).sum(), "assets")


if __name__ == "__main__":
    main()
