"""Strengths of teams from who beat whom: Bradley-Terry by Zermelo's iteration."""
import numpy as np

TEAMS = 1500
ROUNDS = 40


def strengths(games, wins):
    p = np.ones(TEAMS)
    for _ in range(ROUNDS):
        p = wins / (games / np.add.outer(p, p)).sum(axis=1)
    return p


def schedule_strength(games, p):
    return games @ p / games.sum(axis=1)


def expected_points(p):
    chance = p[:, None] / (p[:, None] + p)
    return 3.0 * chance.sum(axis=1)


class League:
    def __init__(self, rng):
        beat = np.triu(rng.integers(0, 3, (TEAMS, TEAMS)), 1)
        beat = beat + np.tril(rng.integers(0, 3, (TEAMS, TEAMS)), -1)
        self.games = (beat + beat.T).astype(float)
        self.wins = beat.sum(axis=1).astype(float)


if __name__ == "__main__":
    league = League(np.random.default_rng(23))
    p = strengths(league.games, league.wins)
    print(p.max(), schedule_strength(league.games, p).mean(), expected_points(p).max())
