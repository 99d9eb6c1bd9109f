"""Preferential ballots by hand: Borda points and the pairwise table."""
import random

BALLOTS = 12000
CANDIDATES = 8
LAST = 7


def borda(rank):
    points = [0] * CANDIDATES
    for b in range(BALLOTS):
        for c in range(CANDIDATES):
            points[c] += LAST - rank[b][c]
    return points


def pairwise(rank):
    wins = [[0] * CANDIDATES for _ in range(CANDIDATES)]
    for a in range(CANDIDATES):
        for c in range(CANDIDATES):
            n = 0
            for b in range(BALLOTS):
                if rank[b][a] < rank[b][c]:
                    n += 1
            wins[a][c] = n
    return wins


def main():
    random.seed(3)
    rank = []
    for _ in range(BALLOTS):
        row = list(range(CANDIDATES))
        random.shuffle(row)
        rank.append(row)
    print(borda(rank))
    for row in pairwise(rank):
        print(row)


if __name__ == "__main__":
    main()
