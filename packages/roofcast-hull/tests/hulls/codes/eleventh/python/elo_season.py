"""Elo ratings of players after a season of games, one game after the other."""
import numpy as np


def rate_season(rating, white, black, score, k=24.0):
    rating = rating.copy()
    for g in range(len(score)):
        w, b = white[g], black[g]
        expected = 1.0 / (1.0 + 10.0 ** ((rating[b] - rating[w]) / 400.0))
        delta = k * (score[g] - expected)
        rating[w] += delta
        rating[b] -= delta
    return rating


if __name__ == "__main__":
    rng = np.random.default_rng(8)
    players, games = 500, 20000
    white = rng.integers(0, players, games)
    black = (white + rng.integers(1, players, games)) % players
    score = rng.choice([0.0, 0.5, 1.0], games)
    final = rate_season(np.full(players, 1500.0), white, black, score)
    print(final.max(), final.min())
