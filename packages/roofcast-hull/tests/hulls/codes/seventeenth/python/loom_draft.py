"""Weaving draft: the cloth from threading, tie-up and treadling, and how often each end turns."""
import random

PICKS = 400
ENDS = 600
SHAFTS = 8
TREADLES = 10


def drawdown(threading, tieup, treadling):
    cloth = [[0] * ENDS for _ in range(PICKS)]
    for p in range(PICKS):
        for e in range(ENDS):
            cloth[p][e] = tieup[treadling[p]][threading[e]]
    return cloth


def interlacements(cloth):
    turns = [0] * ENDS
    for e in range(ENDS):
        n = 0
        for p in range(1, PICKS):
            n += cloth[p][e] ^ cloth[p - 1][e]
        turns[e] = n
    return turns


def main():
    random.seed(5)
    threading = [min(e % 14, 14 - e % 14) % SHAFTS for e in range(ENDS)]
    treadling = [random.randrange(TREADLES) for _ in range(PICKS)]
    tieup = [[random.randint(0, 1) for _ in range(SHAFTS)] for _ in range(TREADLES)]
    cloth = drawdown(threading, tieup, treadling)
    turns = interlacements(cloth)
    print(sum(turns) / ENDS)


if __name__ == "__main__":
    main()
