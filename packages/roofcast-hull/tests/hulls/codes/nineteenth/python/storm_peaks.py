"""Radar rain, coarse: worst of the nine cells around each, and how many cells fall into which class."""
import random

ROWS = 60
COLS = 90


def worst_around(rain):
    out = [[0.0] * COLS for _ in range(ROWS)]
    for i in range(1, ROWS - 1):
        for j in range(1, COLS - 1):
            w = rain[i][j]
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    w = max(w, rain[i + di][j + dj])
            out[i][j] = w
    return out


def classes(rain):
    counts = [0] * 12
    for i in range(ROWS):
        for j in range(COLS):
            counts[min(int(rain[i][j] / 5.0), 11)] += 1
    return counts


def turn_right(grid):
    return [[grid[ROWS - 1 - r][c] for r in range(ROWS)] for c in range(COLS)]


random.seed(8)
rain = [[random.expovariate(0.1) for _ in range(COLS)] for _ in range(ROWS)]
print(max(max(row) for row in worst_around(rain)), classes(rain), len(turn_right(rain)))
