"""Active risk of funds against one benchmark."""
import numpy as np

FUNDS, NAMES = 500, 120


def active_variance(w, bench, cov):
    act = w - bench
    return ((act @ cov) * act).sum(axis=1)


def sector_tilt(w, bench, sector):
    # sector: 0/1 membership, names by sectors
    return (w - bench) @ sector


if __name__ == "__main__":
    rng = np.random.default_rng(9)
    w = rng.dirichlet(np.ones(NAMES), FUNDS)
    bench = np.full(NAMES, 1.0 / NAMES)
    f = rng.normal(size=(NAMES, 12))
    cov = f @ f.T * 1e-4
    sector = np.eye(11)[rng.integers(0, 11, NAMES)]
    print(np.sqrt(active_variance(w, bench, cov)).mean())
    print(sector_tilt(w, bench, sector).max())
