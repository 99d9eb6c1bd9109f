"""Uniform swing over constituencies and d'Hondt quotients of regions."""
import numpy as np

CONSTITUENCIES, PARTIES = 65_000, 12
REGIONS, SEATS = 900, 120


def winners_after(shares, swing):
    s = np.clip(shares + swing[None, :], 0.0, 1.0)
    s /= s.sum(axis=1, keepdims=True)
    return s.argmax(axis=1)


def quotients(votes):
    divisors = np.arange(1.0, SEATS + 1.0)
    return np.divide.outer(votes, divisors)


def wasted(votes, won):
    """Votes for parties that won nothing, as a share of all, by region."""
    lost = np.where(won == 0, votes, 0.0)
    return lost.sum(axis=-1) / votes.sum(axis=-1)


def main():
    rng = np.random.default_rng(19)
    shares = rng.dirichlet(np.ones(PARTIES), CONSTITUENCIES)
    swing = rng.normal(0, 0.03, PARTIES)
    print(np.bincount(winners_after(shares, swing), minlength=PARTIES))
    votes = rng.integers(1000, 90000, (REGIONS, PARTIES)).astype(float)
    q = quotients(votes)
    print(q.shape, wasted(votes, rng.integers(0, 4, (REGIONS, PARTIES))).max())


main()
