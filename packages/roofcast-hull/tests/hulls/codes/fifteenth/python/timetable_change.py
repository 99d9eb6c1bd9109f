"""Cheapest connections with one change: legs in, legs out."""
import random

STATIONS = 120
HUBS = 90


def one_change(first, second):
    best = [[0.0] * STATIONS for _ in range(STATIONS)]
    for i in range(STATIONS):
        for j in range(STATIONS):
            cheapest = first[i][0] + second[0][j]
            for h in range(1, HUBS):
                price = first[i][h] + second[h][j]
                if price < cheapest:
                    cheapest = price
            best[i][j] = cheapest
    return best


def main():
    random.seed(8)
    first = [[random.uniform(4, 90) for _ in range(HUBS)] for _ in range(STATIONS)]
    second = [[random.uniform(4, 90) for _ in range(STATIONS)] for _ in range(HUBS)]
    best = one_change(first, second)
    print(max(max(row) for row in best))


main()
