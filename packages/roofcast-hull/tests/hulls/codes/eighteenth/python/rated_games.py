import numpy as np

PLAYERS = 200_000
GAMES = 1_000_000


def rating_change(ratings, white, black, score, k=20.0):
    gap = ratings[black] - ratings[white]
    expect = 1.0 / (1.0 + 10.0 ** (gap / 400.0))
    return np.bincount(white, weights=k * (score - expect), minlength=PLAYERS)


def upset_count(ratings, white, black, score):
    """Games in which the side that stood 200 points lower took the point."""
    low = ratings[white] + 200.0 < ratings[black]
    return np.count_nonzero(low & (score > 0.75))


if __name__ == "__main__":
    g = np.random.default_rng(64)
    ratings = g.normal(1500.0, 300.0, PLAYERS)
    white = g.integers(0, PLAYERS, GAMES)
    black = g.integers(0, PLAYERS, GAMES)
    score = g.choice([0.0, 0.5, 1.0], GAMES)
    ratings += rating_change(ratings, white, black, score)
    print(upset_count(ratings, white, black, score))
