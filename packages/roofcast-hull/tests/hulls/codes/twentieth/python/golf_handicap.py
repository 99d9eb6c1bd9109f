"""Club handicaps without any library (runs on the clubhouse machine)."""
import random

PLAYERS = 2000
ROUNDS = 20
HOLES = 18


def differentials(scores, rating, slope):
    table = []
    for p in range(PLAYERS):
        row = []
        for r in range(ROUNDS):
            row.append((scores[p][r] - rating[r]) * 113.0 / slope[r])
        table.append(row)
    return table


def stableford(strokes, par):
    points = [0] * PLAYERS
    for p in range(PLAYERS):
        total = 0
        for h in range(HOLES):
            total += max(0, 2 + par[h] - strokes[p][h])
        points[p] = total
    return points


def hole_difficulty(strokes, par):
    # mean strokes over par of each hole
    over = [0.0 for _ in range(HOLES)]
    for p in range(PLAYERS):
        for h in range(HOLES):
            over[h] += strokes[p][h] - par[h]
    return [o / PLAYERS for o in over]


if __name__ == "__main__":
    random.seed(18)
    scores = [[random.gauss(88, 6) for _ in range(ROUNDS)] for _ in range(PLAYERS)]
    rating = [random.uniform(69, 74) for _ in range(ROUNDS)]
    slope = [random.randint(110, 140) for _ in range(ROUNDS)]
    d = differentials(scores, rating, slope)
    par = [4, 5, 3, 4, 4, 4, 3, 5, 4] * 2
    strokes = [[par[h] + random.choice((-1, 0, 0, 1, 1, 2)) for h in range(HOLES)] for _ in range(PLAYERS)]
    pts = stableford(strokes, par)
    print(min(map(min, d)), sum(pts) / len(pts), hole_difficulty(strokes, par)[:3])
